import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { extname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';

export interface Asset {
  type: string;
  body: Buffer;
  /** Compressed once: the modules of noVNC are most of a megabyte. */
  gzipped: Buffer;
}

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** The live view's files, all in memory: what is not among them cannot be asked for. */
export interface Assets {
  /** Follows from all of their bytes, and stands in their URLs: each may be kept for ever. */
  readonly version: string;
  readonly files: ReadonlyMap<string, Asset>;
}

let loaded: Assets | undefined;

export function viewerAssets(): Assets {
  loaded ??= loadAssets();
  return loaded;
}

/** noVNC is served as it comes from its package, each file with its notice: MPL-2.0 asks for no more. */
function loadAssets(): Assets {
  const novnc = fileURLToPath(new URL('..', import.meta.resolve('@novnc/novnc')));
  const files = new Map([
    ...filesBelow(join(import.meta.dirname, 'page'), ''),
    ...filesBelow(join(novnc, 'core'), 'novnc/core/'),
    ...filesBelow(join(novnc, 'vendor'), 'novnc/vendor/'),
  ]);
  const hash = createHash('sha256');
  for (const [name, { body }] of files) hash.update(`${name} ${body.length}\n`).update(body);
  return { version: hash.digest('hex').slice(0, 16), files };
}

function filesBelow(directory: string, prefix: string): [string, Asset][] {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && extname(entry.name) in types)
    .map((entry): [string, Asset] => {
      const path = join(entry.parentPath, entry.name);
      const name = prefix + relative(directory, path).split(sep).join('/');
      const body = readFileSync(path);
      return [name, { type: types[extname(path)] as string, body, gzipped: gzipSync(body) }];
    })
    .sort(([a], [b]) => (a < b ? -1 : 1));
}
