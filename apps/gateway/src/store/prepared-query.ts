import type { CompiledQuery } from 'kysely';
import type { Database } from './database.ts';
import { nameStatement } from './named-statements.ts';

/** Stands for a parameter while a query is built. */
class Placeholder {
  readonly index: number;
  constructor(index: number) {
    this.index = index;
  }
}

interface Built<Row> {
  compile(db: Database): CompiledQuery<Row>;
}

/** Stands for the n-th parameter, with whatever type is needed there. */
export type Parameter = (index: number) => never;

/**
 * Builds and compiles a query once per database, for requests that come by the thousand: building and planning costs
 * more than running it. The query must list its columns, see `nameStatement`.
 */
export function preparedQuery<Row>(
  build: (db: Database, parameter: Parameter) => Built<Row>,
): (db: Database, ...parameters: readonly unknown[]) => Promise<Row[]> {
  const compiled = new WeakMap<Database, CompiledQuery<Row>>();
  return async (db, ...parameters) => {
    let query = compiled.get(db);
    if (!query) {
      query = build(db, (index) => new Placeholder(index) as never).compile(db);
      compiled.set(db, query);
      nameStatement(query.sql);
    }
    const bound = query.parameters.map((value) =>
      value instanceof Placeholder ? parameters[value.index] : value,
    );
    return (await db.executeQuery<Row>({ ...query, parameters: bound } as CompiledQuery<Row>)).rows;
  };
}
