import { type Kysely, PostgresAdapter, PostgresDialect, sql } from 'kysely';
import { type Migration, Migrator } from 'kysely/migration';
import type { Logger } from 'pino';
import { sessions0001 } from './migrations/0001-sessions.ts';
import { bandwidth0002 } from './migrations/0002-bandwidth.ts';
import { hosts0003 } from './migrations/0003-hosts.ts';
import { idempotency0004 } from './migrations/0004-idempotency.ts';
import { dashboard0005 } from './migrations/0005-dashboard.ts';
import { events0006 } from './migrations/0006-events.ts';
import { waiting0007 } from './migrations/0007-waiting.ts';
import { savedProfiles0008 } from './migrations/0008-saved-profiles.ts';
import { reaping0009 } from './migrations/0009-reaping.ts';
import { hangUps0010 } from './migrations/0010-hang-ups.ts';
import { closedKeys0011 } from './migrations/0011-closed-keys.ts';
import { replay0013 } from './migrations/0013-replay.ts';
import { storeProbe0014 } from './migrations/0014-store-probe.ts';
import { clientsAndFailures0015 } from './migrations/0015-clients-and-failures.ts';
import { mail0016 } from './migrations/0016-mail.ts';
import { traffic0017 } from './migrations/0017-traffic.ts';
import { saving0018 } from './migrations/0018-saving.ts';
import { receipts0019 } from './migrations/0019-receipts.ts';
import { recordings0020 } from './migrations/0020-recordings.ts';
import { hostAbilities0021 } from './migrations/0021-host-abilities.ts';
import { missingEnds0022 } from './migrations/0022-missing-ends.ts';
import { extensions0023 } from './migrations/0023-extensions.ts';
import { sessionProtocols0024 } from './migrations/0024-session-protocols.ts';
import { crawls0025 } from './migrations/0025-crawls.ts';
import { pageAnswers0026 } from './migrations/0026-page-answers.ts';
import { modelEndpoints0027 } from './migrations/0027-model-endpoints.ts';
import { pageSettings0028 } from './migrations/0028-page-settings.ts';
import { proxies0029 } from './migrations/0029-proxies.ts';
import { devices0033 } from './migrations/0033-devices.ts';
import { standby0034 } from './migrations/0034-standby.ts';
import { snapshots0035 } from './migrations/0035-snapshots.ts';
import { sessionNames0036 } from './migrations/0036-session-names.ts';
import type { Tables } from './tables.ts';

/** Numbered, applied in order, never edited once released. */
const migrations: Record<string, Migration> = {
  '0001-sessions': sessions0001,
  '0002-bandwidth': bandwidth0002,
  '0003-hosts': hosts0003,
  '0004-idempotency': idempotency0004,
  '0005-dashboard': dashboard0005,
  '0006-events': events0006,
  '0007-waiting': waiting0007,
  '0008-saved-profiles': savedProfiles0008,
  '0009-reaping': reaping0009,
  '0010-hang-ups': hangUps0010,
  '0011-closed-keys': closedKeys0011,
  '0013-replay': replay0013,
  '0014-store-probe': storeProbe0014,
  '0015-clients-and-failures': clientsAndFailures0015,
  '0016-mail': mail0016,
  '0017-traffic': traffic0017,
  '0018-saving': saving0018,
  '0019-receipts': receipts0019,
  '0020-recordings': recordings0020,
  '0021-host-abilities': hostAbilities0021,
  '0022-missing-ends': missingEnds0022,
  '0023-extensions': extensions0023,
  '0024-session-protocols': sessionProtocols0024,
  '0025-crawls': crawls0025,
  '0026-page-answers': pageAnswers0026,
  '0027-model-endpoints': modelEndpoints0027,
  '0028-page-settings': pageSettings0028,
  '0029-proxies': proxies0029,
  '0033-devices': devices0033,
  '0034-standby': standby0034,
  '0035-snapshots': snapshots0035,
  '0036-session-names': sessionNames0036,
};

/**
 * Kysely's own lock belongs to a connection, which a pooler in transaction mode gives to others. See `migratePostgres`.
 */
class UnlockedAdapter extends PostgresAdapter {
  override async acquireMigrationLock(): Promise<void> {}
  override async releaseMigrationLock(): Promise<void> {}
}

export class MigratingPostgresDialect extends PostgresDialect {
  override createAdapter(): PostgresAdapter {
    return new UnlockedAdapter();
  }
}

/** The number that Kysely locks by too, so that a version that uses Kysely's lock waits for this one. */
const migrationLock = '3853314791062309107';

/**
 * Migrates in one transaction that starts by taking the lock: processes that start at once migrate one after the other.
 */
export async function migratePostgres(db: Kysely<Tables>, logger: Logger): Promise<void> {
  const later = await unknownMigrations(db, logger);
  await db.transaction().execute(async (trx) => {
    await sql`select pg_advisory_xact_lock(${sql.lit(BigInt(migrationLock))})`.execute(trx);
    const { error } = await migratorOf(trx, later).migrateToLatest();
    if (error) throw error;
  });
}

export async function migrateSqlite(db: Kysely<Tables>, logger: Logger): Promise<void> {
  const migrator = migratorOf(db, await unknownMigrations(db, logger));
  // Two processes may open a new file at once; the second finds the work done.
  let { error } = await migrator.migrateToLatest();
  if (error) ({ error } = await migrator.migrateToLatest());
  if (error) throw error;
}

function migratorOf(db: Kysely<Tables>, later: readonly string[]): Migrator {
  const done = Object.fromEntries(later.map((name) => [name, { up: async () => {} }]));
  return new Migrator({ db, provider: { getMigrations: async () => ({ ...migrations, ...done }) } });
}

/**
 * Lists migrations that a later version has made. They only add, so this version still works, and may be restarted
 * while the later one is rolled out.
 */
async function unknownMigrations(db: Kysely<Tables>, logger: Logger): Promise<string[]> {
  const made = await sql<{ name: string }>`select name from kysely_migration`.execute(db).catch((error) => {
    if (error.code === undefinedTable || /no such table/.test(error.message)) return { rows: [] };
    throw error;
  });
  const names = made.rows.map(({ name }) => name).filter((name) => !(name in migrations));
  if (names.length > 0) logger.warn({ migrations: names }, 'a later version has migrated the store');
  return names;
}

const undefinedTable = '42P01';
