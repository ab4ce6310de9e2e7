import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { watchLeaks } from '../../../tests/fixtures/leaks.ts';
import { sharedDatabase } from '../../../tests/fixtures/shared-database.ts';
import { checkMemory, checkNode } from './doctor/machine-checks.ts';
import { checkChromium, checkFonts } from './doctor/program-checks.ts';
import { checkDatabase, checkDataDirectory, checkPort } from './doctor/service-checks.ts';
import { doctor } from './doctor.ts';

watchLeaks();

const anyPorts = { TURNPIKE_PORT: '0', TURNPIKE_HOST_PORT: '0', TURNPIKE_PROXY_PORT: '0' };

function collector() {
  const chunks: string[] = [];
  return { write: (text: string) => chunks.push(text), text: () => chunks.join('') };
}

describe('turnpike doctor', () => {
  it('passes a machine that has been set up, line by line', async () => {
    const output = collector();
    const code = await doctor(anyPorts, { output });
    expect(output.text()).not.toContain('✗');
    expect(output.text()).toContain('✓ Chromium starts in the sandbox, with its own sandbox on\n');
    expect(code).toBe(0);
  });

  it('gives the same as JSON, and fails when something needed fails', async () => {
    const output = collector();
    const code = await doctor({ ...anyPorts, TURNPIKE_PORT: 'eighty' }, { json: true, output });
    expect(JSON.parse(output.text())).toContainEqual({
      level: 'fail',
      what: 'TURNPIKE_PORT must be a whole number from 0 to 65535, but is "eighty"',
      advice: 'give TURNPIKE_PORT such a value, or none',
    });
    expect(code).toBe(1);
  });
});

describe('what it finds wrong comes with advice:', () => {
  it('an old Node', () => {
    expect(checkNode('20.20.0')).toMatchObject({ level: 'fail', what: 'Node.js 20.20.0 is too old' });
    expect(checkNode('24.11.0')).toMatchObject({ level: 'ok' });
  });

  it('little memory', () => {
    const finding = checkMemory('MemAvailable:     512000 kB\n');
    expect(finding).toMatchObject({ level: 'warn', what: '500 MiB of memory available: about 1 sessions' });
  });

  it('no Chromium', async () => {
    const finding = await checkChromium('/nowhere/chromium');
    expect(finding).toMatchObject({ level: 'fail', what: 'Chromium is not there (/nowhere/chromium)' });
    expect(finding.advice).toContain('apt-get install chromium');
  });

  it('no fonts', async () => {
    const empty = await mkdtemp(join(tmpdir(), 'fonts-'));
    expect(checkFonts(empty).advice).toContain('fonts-liberation fonts-dejavu-core fonts-noto-color-emoji');
    await rm(empty, { recursive: true });
  });

  it('a port that is taken', async () => {
    const server = createServer();
    const port = await new Promise<number>((resolve) => {
      server.listen(0, '127.0.0.1', () => {
        const address = server.address();
        resolve(typeof address === 'object' ? (address?.port ?? 0) : 0);
      });
    });
    const finding = await checkPort({ TURNPIKE_PORT: `${port}` }, 'TURNPIKE_PORT', 8080);
    expect(finding).toMatchObject({ level: 'warn', what: `port ${port} is taken (TURNPIKE_PORT)` });
    await server[Symbol.asyncDispose]();
  });

  it('a data directory that cannot be written', () => {
    const inAFile = checkDataDirectory({ TURNPIKE_DATA_DIR: '/etc/passwd/data' });
    expect(inAFile).toMatchObject({
      level: 'fail',
      what: '/etc/passwd is not a directory that can be written',
    });
  });

  it('a database that does not answer, without its password', async () => {
    await using database = await sharedDatabase();
    expect(await checkDatabase({ DATABASE_URL: database.url })).toMatchObject({ level: 'ok' });
    const finding = await checkDatabase({ DATABASE_URL: 'postgres://u:s3cret@127.0.0.1:1/db' });
    expect(finding).toMatchObject({ level: 'fail', what: 'PostgreSQL does not answer (127.0.0.1:1)' });
    expect(JSON.stringify(finding)).not.toContain('s3cret');
  });
});
