import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const directory = join(import.meta.dirname, '../../docs/decisions');
const index = readFileSync(join(directory, 'README.md'), 'utf8');
const rows = [
  ...index.matchAll(/^\| (?:\[(\d{4})\]\(([^)]+)\)|(\d{4})) \| (.+?) \| (\d{4}-\d\d-\d\d) \| (.+) \|$/gm),
];

test('the index lists every decision in order, with its title', () => {
  const files = globSync('0*.md', { cwd: directory }).sort();
  expect(rows.flatMap(([, , file]) => file ?? [])).toEqual(files);
  for (const [, number, file, , title] of rows.filter((row) => row[2] !== undefined)) {
    const heading = readFileSync(join(directory, file ?? ''), 'utf8').split('\n')[0];
    expect([`# ${title}`, `# ${number}: ${title}`]).toContain(heading);
  }
});

test('a decision that no longer holds says so in its first lines, as the index does', () => {
  for (const [, , file, , , , status] of rows.filter((row) => row[2] !== undefined)) {
    const text = readFileSync(join(directory, file ?? ''), 'utf8');
    expect(text.split('\n')[2]?.startsWith('> **Superseded'), file).toBe(status?.startsWith('superseded'));
  }
});
