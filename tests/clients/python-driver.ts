import { join } from 'node:path';
import type { ClientDriver } from './run-scenario.ts';
import { startStdioDriver } from './stdio-driver.ts';

const directory = join(import.meta.dirname, '../../clients/python');

/** The Python client in a process of its own: `sync`, or awaited on `asyncio`. */
export function pythonDriver(flavour: 'sync' | 'asyncio'): ClientDriver {
  const python = join(directory, '.venv/bin/python');
  const script = join(directory, 'tests/scenario_driver.py');
  return startStdioDriver('env', [`PYTHONPATH=${join(directory, 'src')}`, python, script, flavour]);
}
