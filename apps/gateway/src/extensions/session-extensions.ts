import { maxSessionPackageBytes } from '@turnpike/contract/extension';
import type { ExtensionRequest } from '@turnpike/contract/host';
import { ApiError } from '../http/api-error.ts';
import type { SessionExtensions } from '../seams/session-extensions.ts';
import { associatedData } from '../secrets/associated-data.ts';
import { isAllowed } from './allowed-extensions.ts';
import type { ExtensionContext } from './extension-context.ts';
import { findWhole, type ListedExtension, listExtensions } from './extension-store.ts';
import { extensionFiles } from './package/extension-files.ts';

/** Loads the extensions of sessions. */
export const sessionExtensions = (context: ExtensionContext): SessionExtensions => ({
  load: (accountId, wanted) => loadExtensions(context, accountId, wanted),
  mayLoadOthers: context.allowedExtensions === undefined,
});

async function loadExtensions(
  context: ExtensionContext,
  accountId: string,
  wanted: readonly string[],
): Promise<ExtensionRequest[]> {
  const own = await listExtensions(context.db, accountId);
  const chosen = new Set(wanted.map((text) => choose(own, text)));
  let bytes = 0;
  for (const extension of chosen) {
    const { id, id_source, checksum, name } = extension;
    bytes += extension.bytes;
    // The operator may have changed the list since it was uploaded.
    if (!isAllowed(context.allowedExtensions, { id, idSource: id_source, checksum }))
      throw new ApiError('extensionNotAllowed', { detail: `It is ${name}, ${id}.`, field: 'extensions' });
  }
  if (bytes > maxSessionPackageBytes)
    throw wrong(`must be at most ${maxSessionPackageBytes} bytes together, as they were uploaded`);
  const loaded: ExtensionRequest[] = [];
  for (const { id } of chosen) loaded.push(await loadExtension(context, accountId, id));
  return loaded;
}

/** Finds an extension by its id or its name. */
function choose(own: readonly ListedExtension[], text: string): ListedExtension {
  const byId = own.find(({ id }) => id === text);
  if (byId) return byId;
  const [named, another] = own.filter(({ name }) => name === text);
  const shown = JSON.stringify(text.slice(0, 80));
  if (!named) throw wrong(`must be ids or names of uploaded extensions; ${shown} is not one`);
  if (another) throw wrong(`must have the id instead of ${shown}, which is the name of two extensions`);
  return named;
}

async function loadExtension(
  { db, sealer }: ExtensionContext,
  accountId: string,
  id: string,
): Promise<ExtensionRequest> {
  const row = await findWhole(db, accountId, id);
  if (!row) throw wrong(`must be uploaded extensions; ${id} was deleted a moment ago`);
  try {
    const archive = sealer.openBytes(row.sealed, associatedData.extension(accountId, id));
    return { id, name: row.name, files: await extensionFiles(archive, row.public_key) };
  } catch (cause) {
    throw new ApiError('creationFailed', { detail: 'an extension cannot be unsealed', cause });
  }
}

const wrong = (rule: string): ApiError =>
  new ApiError('malformedParams', { because: `extensions ${rule}`, field: 'extensions' });
