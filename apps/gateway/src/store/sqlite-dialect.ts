import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { SqliteDialect, type SqliteStatement } from 'kysely';

/** Statements are compiled once; the set of queries is fixed, so the cache is small. */
const maxCachedStatements = 500;

/** Kysely's SQLite dialect on Node's own SQLite: WAL, and a commit is on the disk when it returns. */
export function nodeSqliteDialect(file: string): SqliteDialect {
  const db = new DatabaseSync(file, { enableForeignKeyConstraints: true, timeout: 5000 });
  db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;');
  const cache = new Map<string, SqliteStatement>();
  const prepare = (sql: string): SqliteStatement => {
    const known = cache.get(sql);
    if (known) return known;
    const statement = adapted(db.prepare(sql));
    if (cache.size < maxCachedStatements) cache.set(sql, statement);
    return statement;
  };
  return new SqliteDialect({ database: { close: () => db.close(), prepare } });
}

type Value = null | number | bigint | string | Uint8Array;

function adapted(statement: StatementSync): SqliteStatement {
  return {
    reader: statement.columns().length > 0,
    all: (parameters) => statement.all(...(parameters as Value[])),
    run: (parameters) => statement.run(...(parameters as Value[])),
    iterate: (parameters) => statement.iterate(...(parameters as Value[])),
  };
}
