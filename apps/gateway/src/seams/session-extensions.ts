import type { ExtensionRequest } from '@turnpike/contract/host';

/** What creates need from extensions. */
export interface SessionExtensions {
  /** Loads the extensions of an account by their ids or names, for a host. */
  load(accountId: string, wanted: readonly string[]): Promise<ExtensionRequest[]>;
  /** Whether clients may load others from their session's files. */
  readonly mayLoadOthers: boolean;
}
