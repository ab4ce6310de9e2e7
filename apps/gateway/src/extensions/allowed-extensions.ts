import type { IdSource } from './package/read-package.ts';

/**
 * The extensions that an operator allows: ids, and SHA-256 checksums of uploads. Undefined means all, and an empty list
 * none.
 */
export type AllowList = readonly string[] | undefined;

export interface JudgedExtension {
  id: string;
  idSource: IdSource;
  checksum: string;
}

/**
 * Whether an extension may be used. An id that a manifest names proves nothing, because anybody can copy a public key:
 * such an extension is allowed by its checksum alone.
 */
export function isAllowed(list: AllowList, { id, idSource, checksum }: JudgedExtension): boolean {
  if (list === undefined || list.includes(checksum)) return true;
  return idSource !== 'manifest' && list.includes(id);
}
