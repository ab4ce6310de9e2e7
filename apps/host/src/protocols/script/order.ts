import type { ScriptWork } from '@turnpike/contract/page/script';

/** What a script's worker is told: four bytes with the length of this as JSON, this, and the content of the files. */
export type ScriptOrder = ScriptWork & {
  /** The largest body that the host takes. */
  maxBytes: number;
  /** Path and length of each file, in the order in which they follow. */
  files: [path: string, bytes: number][];
  /** The file to import. */
  entry: string;
};

/**
 * What a script's worker answers: four bytes with the length of this as JSON, this, and as many bytes as it says. The
 * worker runs a stranger's code, so the host believes none of it.
 */
export type ScriptResult = { type: string; bytes: number; fileName?: string } | { error: string };
