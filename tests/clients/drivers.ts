import { nodeDriver } from './node-driver.ts';
import type { Driver } from './run-scenario.ts';

export interface ClientDriver extends AsyncDisposable {
  drive: Driver;
}

/** Every client, each started anew by its function. */
export const drivers: Record<string, () => ClientDriver> = {
  'the Node client': nodeDriver,
};
