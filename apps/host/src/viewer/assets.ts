import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { extname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { withoutTypes } from '@turnpike/process/without-types';

export interface Asset {
  type: string;
  body: Buffer;
  /** Compressed once: the modules of noVNC are almost a megabyte. */
  gzipped: Buffer;
}

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.ts': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** The live view's files, all in memory: no other file can be requested. */
export interface Assets {
  /** A hash of all files, which is part of their URLs, so that browsers may cache them for ever. */
  readonly version: string;
  readonly files: ReadonlyMap<string, Asset>;
}

let loaded: Assets | undefined;

export function viewerAssets(): Assets {
  loaded ??= loadAssets();
  return loaded;
}

/** Loads the page and noVNC. noVNC is served unchanged, each file with its notice, as MPL-2.0 requires. */
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
    .filter((entry) => entry.isFile() && extname(entry.name) in types && !entry.name.endsWith('.d.ts'))
    .map((entry): [string, Asset] => {
      const path = join(entry.parentPath, entry.name);
      const name = prefix + relative(directory, path).split(sep).join('/');
      const body = readAsset(path);
      return [name, { type: types[extname(path)] as string, body, gzipped: gzipSync(body) }];
    })
    .sort(([a], [b]) => (a < b ? -1 : 1));
}

/** Scripts in TypeScript are served without their types, under their own names. */
function readAsset(path: string): Buffer {
  if (extname(path) !== '.ts') return readFileSync(path);
  return Buffer.from(withoutTypes(readFileSync(path, 'utf8')));
}
