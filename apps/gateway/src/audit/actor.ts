/** Who does something that the audit log keeps. */
export interface Actor {
  /** An e-mail address, `token <name>`, `key` for an API key itself, or `cli`. */
  name: string;
  /** Where the request came from; null for the command line. */
  address: string | null;
}

/** Whoever can run commands on the store. */
export const cli: Actor = { name: 'cli', address: null };
