import { execFile } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { beforeAll, expect, test } from 'vitest';

const root = join(import.meta.dirname, '../..');
const dist = join(root, 'apps/dashboard/dist');
const read = (file: string) => readFileSync(join(dist, file));

beforeAll(async () => {
  await promisify(execFile)(join(root, 'scripts/build-dashboard'));
});

test('what the first page loads is under 300 kB compressed, and charts are not in it', () => {
  const html = read('index.html').toString();
  const files = [...html.matchAll(/(?:src|href)="\/([^"]+)"/g)].map(([, file = '']) => file);
  expect(files.length).toBeGreaterThan(2);
  const kilobytes = files.reduce((sum, file) => sum + gzipSync(read(file)).length, 0) / 1000;
  expect(kilobytes).toBeLessThan(300);
  const loadedLater = globSync('assets/*.js', { cwd: dist }).filter((file) => !files.includes(file));
  const hasCharts = (file: string) => read(file).includes('recharts');
  expect(files.filter(hasCharts)).toEqual([]);
  expect(loadedLater.filter(hasCharts)).toHaveLength(1);
});

test('nothing is inline and nothing comes from elsewhere', () => {
  const html = read('index.html').toString();
  expect(html).not.toMatch(/<style|style=|<script(?![^>]*\ssrc=)|javascript:|\son\w+=/);
  expect(html).not.toMatch(/(?:src|href)="(?!\/)/);
  for (const file of globSync('assets/*.css', { cwd: dist })) {
    expect(read(file).toString()).not.toMatch(/@import|url\((?!['"]?\/)/);
  }
});
