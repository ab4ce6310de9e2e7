/** Who did something that the audit log records. */
export interface Actor {
  /** An e-mail address, `token <name>`, `key` for an API key itself, or `cli`. */
  name: string;
  /** The address that the request came from; null for the command line. */
  address: string | null;
}

/** The actor of commands that run on the store itself. */
export const cli: Actor = { name: 'cli', address: null };
