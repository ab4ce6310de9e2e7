import { readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { withoutTypes } from '@turnpike/process/without-types';

const directory = join(import.meta.dirname, 'page');

export const pageScriptNames = (): string[] => readdirSync(directory).filter((name) => name.endsWith('.ts'));

/** Reads a script of the pages: TypeScript, served without its types. */
export async function pageScript(name: string): Promise<string> {
  return withoutTypes(await readFile(join(directory, name), 'utf8'));
}
