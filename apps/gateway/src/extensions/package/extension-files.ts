import type { ExtensionFile } from '@turnpike/contract/host';
import { Slices } from '@turnpike/process/work/slices';
import { manifestPath, readManifest } from './manifest.ts';
import { readZip } from './zip-archive.ts';

/** The files of a stored extension as hosts get them. Its manifest names the key, so that its id is the same everywhere. */
export async function extensionFiles(archive: Buffer, publicKey: string): Promise<ExtensionFile[]> {
  const files = readZip(archive);
  const { content } = await readManifest(files);
  const manifest = Buffer.from(JSON.stringify({ ...content, key: publicKey }));
  const slices = new Slices();
  const sent: ExtensionFile[] = [];
  for (const { path, bytes, isDeflated, packed } of files) {
    sent.push(
      path === manifestPath
        ? { path, bytes: manifest.length, isDeflated: false, content: manifest.toString('base64') }
        : { path, bytes, isDeflated, content: packed.toString('base64') },
    );
    await slices.pause();
  }
  return sent;
}
