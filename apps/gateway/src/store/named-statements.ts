import pg from 'pg';

const names = new Map<string, string>();

/**
 * Gives a statement a name, so that PostgreSQL plans it once per connection. It must list its columns: the result of a
 * named statement may not change its shape when a migration adds a column.
 */
export function nameStatement(text: string): void {
  if (!names.has(text)) names.set(text, `turnpike_${names.size}`);
}

/** A connection that sends statements by name, unless a pooler is in between. */
export class NamedStatementClient extends pg.Client {
  #isDirect = false;

  /**
   * Detects a pooler: with one connection for many clients, names do not work. The process id of its greeting then
   * differs from the one that answers.
   */
  async detectPooler(): Promise<void> {
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
