import { type Database, openDatabase } from '@turnpike/gateway/administration';
import { storeLocation } from '@turnpike/gateway/config';
import { createLogger } from '@turnpike/process/logger';
import type { Environment } from '@turnpike/process/settings';

/** Opens the store that the settings name, for one command. */
export async function withStore<T>(env: Environment, work: (db: Database) => Promise<T>): Promise<T> {
  const db = await openDatabase(storeLocation(env), createLogger('warn'));
  try {
    return await work(db);
  } finally {
    await db.destroy();
  }
}
