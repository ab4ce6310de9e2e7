import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { setTimeout as delay } from 'node:timers/promises';
import {
  CompiledQuery,
  type DatabaseConnection,
  type Driver,
  type QueryResult,
  SelectQueryNode,
  SqliteAdapter,
  SqliteDialect,
} from 'kysely';
import { isBusy, StoreBusyError } from './outage.ts';
import { keepPrivate } from './private-file.ts';
import { WriteLock } from './write-lock.ts';

/** Limits the cache of compiled statements. The set of queries is fixed, so it is small. */
const maxCachedStatements = 500;

/** How long a statement waits for a lock that another process holds. */
const lockTimeoutMs = 5000;
const retryMs = { first: 2, longest: 50 };

/**
 * Kysely's SQLite dialect on Node's own SQLite: WAL, and a commit is on the disk when it returns. Node's SQLite is
 * synchronous, so waiting inside it would stop the whole process. Nothing here does: there is one connection for
 * writing, behind a lock, and one for reading, which waits for no writer. A lock that another process holds is retried,
 * with other work in between.
 */
export class NodeSqliteDialect extends SqliteDialect {
  readonly #file: string;

  constructor(file: string) {
    // Kysely's own driver would use this; ours does not.
    super({ database: async () => Promise.reject(new Error('not used')) });
    this.#file = file;
  }

  override createDriver(): Driver {
    return new NodeSqliteDriver(this.#file);
  }

  override createAdapter(): SqliteAdapter {
    return new ManyConnections();
  }
}

/** Lets Kysely run statements at once: the driver makes them wait where they must. */
class ManyConnections extends SqliteAdapter {
  override get supportsMultipleConnections(): boolean {
    return true;
  }
}

class NodeSqliteDriver implements Driver {
  readonly #writer: SqliteFile;
  readonly #reader: SqliteFile;
  readonly #lock = new WriteLock();

  constructor(file: string) {
    keepPrivate(file);
    this.#writer = new SqliteFile(file);
    try {
      this.#writer.db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;');
      // The log and its index exist from the first transaction on, and must be as private as the file.
      keepPrivate(file);
      this.#reader = new SqliteFile(file);
      this.#reader.db.exec('PRAGMA query_only = ON;');
    } catch (error) {
      this.#writer.db.close();
      throw error;
    }
    for (const { db } of [this.#writer, this.#reader]) db.exec('PRAGMA busy_timeout = 0;');
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<DatabaseConnection> {
    return new NodeSqliteConnection(this.#writer, this.#reader, this.#lock);
  }

  async beginTransaction(connection: NodeSqliteConnection): Promise<void> {
    await connection.begin();
  }

  async commitTransaction(connection: NodeSqliteConnection): Promise<void> {
    await connection.finish('commit');
  }

  async rollbackTransaction(connection: NodeSqliteConnection): Promise<void> {
    await connection.finish('rollback');
  }

  async releaseConnection(connection: NodeSqliteConnection): Promise<void> {
    connection.releaseLock();
  }

  async destroy(): Promise<void> {
    this.#reader.db.close();
    this.#writer.db.close();
  }
}

/** A transaction from start to end, or a single statement. */
class NodeSqliteConnection implements DatabaseConnection {
  readonly #writer: SqliteFile;
  readonly #reader: SqliteFile;
  readonly #lock: WriteLock;
  #held: Disposable | undefined;
  /** When it gives up on its lock. Time in the queue counts, so nobody waits longer behind one that waits in vain. */
  #deadline = 0;

  constructor(writer: SqliteFile, reader: SqliteFile, lock: WriteLock) {
    this.#writer = writer;
    this.#reader = reader;
    this.#lock = lock;
  }

  /** Takes the write lock at once, so that a transaction never waits in its middle. */
  async begin(): Promise<void> {
    this.#deadline = performance.now() + lockTimeoutMs;
    this.#held = await this.#lock.take();
    try {
      await this.executeQuery(CompiledQuery.raw('begin immediate'));
    } catch (error) {
      this.releaseLock();
      throw error;
    }
  }

  async finish(how: 'commit' | 'rollback'): Promise<void> {
    // A full disk may have ended it already.
    if (this.#writer.db.isTransaction) await this.executeQuery(CompiledQuery.raw(how));
    this.releaseLock();
  }

  releaseLock(): void {
    const held = this.#held;
    if (!held) return;
    this.#held = undefined;
    // Whatever happened, the next one must not find an open transaction.
    if (this.#writer.db.isTransaction) this.#writer.db.exec('rollback');
    held[Symbol.dispose]();
  }

  async executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    if (this.#held) return retried(() => this.#writer.run(query), this.#deadline);
    const deadline = performance.now() + lockTimeoutMs;
    if (isRead(query)) return retried(() => this.#reader.run(query), deadline);
    using _held = await this.#lock.take();
    return await retried(() => this.#writer.run(query), deadline);
  }

  // biome-ignore lint/correctness/useYield: nothing in this service streams rows.
  async *streamQuery<Row>(): AsyncIterableIterator<QueryResult<Row>> {
    throw new Error('Streaming rows is not supported.');
  }
}

/** Tells reads from writes. A read that is taken for a write only waits longer. */
export function isRead({ query, sql }: Pick<CompiledQuery, 'query' | 'sql'>): boolean {
  return SelectQueryNode.is(query as never) || /^\s*select\b/i.test(sql);
}

/** Retries until the lock is free. After the deadline it throws, which counts as an outage of the store. */
async function retried<T>(work: () => T | Promise<T>, deadline: number): Promise<T> {
  for (let waitMs = retryMs.first; ; waitMs = Math.min(waitMs * 2, retryMs.longest)) {
    try {
      return await work();
    } catch (error) {
      if (!isBusy(error)) throw error;
      if (performance.now() >= deadline) throw new StoreBusyError(error);
    }
    await delay(waitMs);
  }
}

type Value = null | number | bigint | string | Uint8Array;

interface Prepared {
  statement: StatementSync;
  answersRows: boolean;
}

class SqliteFile {
  readonly db: DatabaseSync;
  readonly #statements = new Map<string, Prepared>();

  constructor(file: string) {
    this.db = new DatabaseSync(file, { enableForeignKeyConstraints: true, timeout: lockTimeoutMs });
  }

  run<Row>({ sql, parameters }: CompiledQuery): QueryResult<Row> {
    const { statement, answersRows } = this.#statement(sql);
    if (answersRows) return { rows: statement.all(...(parameters as Value[])) as Row[] };
    const { changes, lastInsertRowid } = statement.run(...(parameters as Value[]));
    return { insertId: BigInt(lastInsertRowid), numAffectedRows: BigInt(changes), rows: [] };
  }

  #statement(sql: string): Prepared {
    const known = this.#statements.get(sql);
    if (known) return known;
    const statement = this.db.prepare(sql);
    const prepared = { statement, answersRows: statement.columns().length > 0 };
    if (this.#statements.size < maxCachedStatements) this.#statements.set(sql, prepared);
    return prepared;
  }
}
