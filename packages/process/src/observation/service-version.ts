import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The version of this package, which is the version of the release. */
export const serviceVersion: string = JSON.parse(
  readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
).version;

let build: string | undefined;

/**
 * The release and a hash of all sources, such as `0.1.0+1f3a09c2`. Two builds of one release differ in it. Reads the
 * sources the first time, which takes about 50 ms.
 */
export function buildVersion(): string {
  build ??= `${serviceVersion}+${sourcesHash()}`;
  return build;
}

const root = join(import.meta.dirname, '../../../..');

function sourcesHash(): string {
  const hash = createHash('sha256');
  for (const group of ['apps', 'packages']) {
    for (const workspace of readdirSync(join(root, group)).sort()) {
      const sources = join(root, group, workspace, 'src');
      for (const file of sourceFiles(sources)) hash.update(file).update(readFileSync(join(sources, file)));
    }
  }
  return hash.digest('hex').slice(0, 8);
}

/** Without tests, which images do not have. */
function sourceFiles(directory: string): string[] {
  try {
    const files = readdirSync(directory, { recursive: true, encoding: 'utf8' });
    return files.filter((file) => /\.tsx?$/.test(file) && !file.endsWith('.test.ts')).sort();
  } catch {
    return [];
  }
}
