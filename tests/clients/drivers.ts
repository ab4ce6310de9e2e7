import { cliDriver } from './cli-driver.ts';
import { nodeDriver } from './node-driver.ts';
import { pythonDriver } from './python-driver.ts';
import type { ClientDriver } from './run-scenario.ts';

/** Every client, each started anew by its function. */
export const drivers: Record<string, () => ClientDriver> = {
  'the Node client': nodeDriver,
  'the Python client': () => pythonDriver('sync'),
  'the Python client, awaited': () => pythonDriver('asyncio'),
  'the command line': cliDriver,
};
