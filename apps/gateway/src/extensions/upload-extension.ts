import { subtle } from 'node:crypto';
import type { Extension } from '@turnpike/contract/extension';
import { ApiError } from '../http/api-error.ts';
import { associatedData } from '../secrets/associated-data.ts';
import { isAllowed } from './allowed-extensions.ts';
import { presentExtension } from './caller-extensions.ts';
import type { ExtensionContext } from './extension-context.ts';
import { putExtension } from './extension-store.ts';
import { PackageError } from './package/package-error.ts';
import { type ExtensionPackage, readPackage } from './package/read-package.ts';

/** Checks and keeps an uploaded extension. One with the same id is replaced. */
export async function uploadExtension(
  { db, sealer, now, allowedExtensions }: ExtensionContext,
  accountId: string,
  bytes: Buffer,
): Promise<Extension> {
  const { id, idSource, publicKey, name, version, archive } = await checkPackage(bytes, accountId);
  // In another thread: it may be megabytes.
  const checksum = Buffer.from(await subtle.digest('SHA-256', bytes)).toString('hex');
  if (!isAllowed(allowedExtensions, { id, idSource, checksum })) {
    throw new ApiError('extensionNotAllowed', {
      detail: `Its id is ${id}, and its SHA-256 is ${checksum}. Ask the operator to allow one of them.`,
    });
  }
  const row = {
    account_id: accountId,
    id,
    name,
    version,
    id_source: idSource,
    checksum,
    public_key: publicKey.toString('base64'),
    sealed: sealer.sealBytes(archive, associatedData.extension(accountId, id)),
    bytes: bytes.length,
    created_at: now(),
  };
  if (!(await putExtension(db, row))) throw new ApiError('tooManyExtensions');
  return presentExtension(row);
}

async function checkPackage(bytes: Buffer, accountId: string): Promise<ExtensionPackage> {
  try {
    return await readPackage(bytes, accountId);
  } catch (error) {
    if (!(error instanceof PackageError)) throw error;
    throw invalidExtension(error.message);
  }
}

export const invalidExtension = (because: string): ApiError => new ApiError('extensionInvalid', { because });
