import pg from 'pg';

const names = new Map<string, string>();

/**
 * From now on PostgreSQL is sent this statement by a name of its own, and plans it once for each connection. Its
 * columns have to be listed: a name's answer may not change its shape when a migration adds a column.
 */
export function nameStatement(text: string): void {
  if (!names.has(text)) names.set(text, `turnpike_${names.size}`);
}

/** A connection that knows statements by their names, where nobody stands in between. */
export class NamingClient extends pg.Client {
  #isDirect = false;

  /**
   * A pooler that hands one connection to many leads a name astray. It greets in its own name: the process that
   * answers is then not the one that greeted.
   */
  async findOutWhoAnswers(): Promise<void> {
    const { rows } = await super.query<{ pid: number }>('select pg_backend_pid() as pid');
    this.#isDirect = rows[0]?.pid === (this as unknown as { processID: number }).processID;
  }

  // biome-ignore lint/suspicious/noExplicitAny: the driver's own has a dozen signatures.
  override query(...[text, values, ...rest]: any[]): any {
    const name = this.#isDirect && Array.isArray(values) ? names.get(text) : undefined;
    if (name === undefined) return super.query(text, values, ...(rest as []));
    return super.query({ name, text, values }, ...(rest as []));
  }
}
