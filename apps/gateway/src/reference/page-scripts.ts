import { readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { stripTypeScriptTypes } from 'node:module';
import { join } from 'node:path';

const directory = join(import.meta.dirname, 'page');

export const pageScriptNames = (): string[] => readdirSync(directory).filter((name) => name.endsWith('.ts'));

/** Reads a script of the pages: TypeScript, served without its types. */
export async function pageScript(name: string): Promise<string> {
  const text = await readFile(join(directory, name), 'utf8');
  const { emitWarning } = process;
  process.emitWarning = () => {}; // Node warns that this function is experimental. The Node version is pinned.
  try {
    return stripTypeScriptTypes(text);
  } finally {
    process.emitWarning = emitWarning;
  }
}
