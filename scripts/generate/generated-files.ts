import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Files that are generated, committed, and compared by `npm run check`. */

export const root = join(import.meta.dirname, '../..');

/** Writes the files. With --check it only compares them, and says which command would write them. */
export function writeOrCheck(files: Readonly<Record<string, string>>, command: string): void {
  for (const [file, content] of Object.entries(files)) {
    const path = join(root, file);
    if (!process.argv.includes('--check')) {
      writeFileSync(path, content);
    } else if (readFileSync(path, 'utf8') !== content) {
      console.error(`${file} is out of date. Run: ${command}`);
      process.exitCode = 1;
    }
  }
}

/** Lines of at most 110 characters, each after `prefix`. */
export function wrapped(text: string, prefix: string): string {
  const lines = [''];
  for (const word of text.split(' ')) {
    const line = `${lines.at(-1)}${lines.at(-1) ? ' ' : ''}${word}`;
    if (prefix.length + line.length > 110) lines.push(word);
    else lines[lines.length - 1] = line;
  }
  return lines.map((line) => `${prefix}${line}\n`).join('');
}
