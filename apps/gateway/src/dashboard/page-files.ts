import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join, relative, sep } from 'node:path';
import { PageFile } from '../http/answers/page-file.ts';

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
};

/** Loads files by path, `/index.html` among them. Empty if the dashboard has not been built. */
export function loadPageFiles(directory: string): ReadonlyMap<string, PageFile> {
  if (!existsSync(join(directory, 'index.html'))) return new Map();
  const entries = readdirSync(directory, { recursive: true, withFileTypes: true });
  return new Map(
    entries
      .filter((entry) => entry.isFile() && extname(entry.name) in types)
      .map((entry) => join(entry.parentPath, entry.name))
      .map((file) => [
        `/${relative(directory, file).split(sep).join('/')}`,
        new PageFile(types[extname(file)] as string, readFileSync(file)),
      ]),
  );
}
