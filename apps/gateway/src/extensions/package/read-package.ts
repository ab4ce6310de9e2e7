import { isCrx, readCrx } from './crx-file.ts';
import { idOfKey, keyOfName } from './extension-id.ts';
import { type Manifest, readManifest } from './manifest.ts';
import { readZip, unpack } from './zip-archive.ts';

/**
 * Where an extension's id comes from: the key that signed it; the key that its manifest names, which anybody can copy;
 * or its name in the account.
 */
export type IdSource = 'signature' | 'manifest' | 'name';

/** An uploaded extension that was checked. */
export interface ExtensionPackage extends Pick<Manifest, 'name' | 'version'> {
  id: string;
  idSource: IdSource;
  publicKey: Buffer;
  /** The zip archive, without the header of a crx file. */
  archive: Buffer;
}

/** Reads and checks all of an uploaded extension, one file after the other. Rejects with a `PackageError`. */
export async function readPackage(bytes: Buffer, accountId: string): Promise<ExtensionPackage> {
  const crx = isCrx(bytes) ? await readCrx(bytes) : undefined;
  const archive = crx?.archive ?? bytes;
  const files = readZip(archive);
  const { name, version, key } = await readManifest(files);
  for (const file of files) await unpack(file);
  const { publicKey, idSource } = keyFor(accountId, name, { signed: crx?.publicKey, named: key });
  return { id: idOfKey(publicKey), idSource, publicKey, name, version, archive };
}

function keyFor(
  accountId: string,
  name: string,
  { signed, named }: { signed: Buffer | undefined; named: Buffer | undefined },
): { publicKey: Buffer; idSource: IdSource } {
  if (signed) return { publicKey: signed, idSource: 'signature' };
  if (named) return { publicKey: named, idSource: 'manifest' };
  return { publicKey: keyOfName(accountId, name), idSource: 'name' };
}
