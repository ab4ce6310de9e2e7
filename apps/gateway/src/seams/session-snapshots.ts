/** The snapshot that a create asks for. */
export interface SnapshotChoice {
  id: string;
  /** Whether it may begin while a session of the same identity runs. */
  fork: boolean;
  /** The parameters that were given: they win over those of the snapshot. */
  given: readonly string[];
}

export interface LoadedSnapshot {
  /** Base64, for a host. */
  archive: string;
  /** What the session that it was taken of says was asked for. */
  params: Readonly<Record<string, unknown>>;
}

/** What creates need from snapshots. */
export interface SessionSnapshots {
  /** Undefined: it has expired or was deleted since the create was admitted. */
  load(accountId: string, id: string): Promise<LoadedSnapshot | undefined>;
}
