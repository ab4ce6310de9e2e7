import type { Extension } from '@turnpike/contract/extension';
import { ApiError } from '../http/api-error.ts';
import { iso } from '../http/iso.ts';
import type { Database } from '../store/database.ts';
import { deleteExtension, findExtension, type ListedExtension, listExtensions } from './extension-store.ts';

/** An account's operations on its extensions, for the API and the dashboard. */

export async function listOwn(db: Database, accountId: string): Promise<Extension[]> {
  return (await listExtensions(db, accountId)).map(presentExtension);
}

export async function findOwn(db: Database, accountId: string, id: string): Promise<Extension> {
  const row = await findExtension(db, accountId, id);
  if (!row) throw new ApiError('notFound');
  return presentExtension(row);
}

export async function deleteOwn(db: Database, accountId: string, id: string): Promise<void> {
  if (!(await deleteExtension(db, accountId, id))) throw new ApiError('notFound');
}

export function presentExtension({
  id,
  name,
  version,
  checksum,
  bytes,
  created_at,
}: ListedExtension): Extension {
  return { id, name, version, checksum, size: bytes, createdAt: iso(created_at) };
}
