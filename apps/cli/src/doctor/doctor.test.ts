import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { readHostConfig } from '@turnpike/host/config';
import { describe, expect, it } from 'vitest';
import { sharedDatabase } from '../../../../tests/fixtures/database/shared-database.ts';
import { watchLeaks } from '../../../../tests/fixtures/suite/leaks.ts';
import { doctor, examine } from './doctor.ts';
import { checkMemory, checkNode } from './machine-checks.ts';
import { checkChromium, checkFonts } from './program-checks.ts';
import { checkChromiumSandbox, checkSandbox } from './sandbox-checks.ts';
import {
  checkDatabase,
  checkDataDirectory,
  checkPort,
  checkRecordings,
  checkSettings,
} from './service-checks.ts';

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
    expect(output.text()).toContain('✓ bubblewrap makes sandboxes\n');
    expect(output.text()).toContain('✓ browsers see that they are online\n');
    expect(code).toBe(0);
  });

  it.runIf(process.getuid?.() === 0)('says who it runs as, and what that user lacks', async () => {
    const script = join(import.meta.dirname, '../main.ts');
    const drop = [
      '--reuid=65534',
      '--regid=65534',
      '--clear-groups',
      '--bounding-set=-all',
      '--inh-caps=-all',
    ];
    const env = { ...process.env, ...anyPorts, TURNPIKE_DATA_DIR: tmpdir() };
    const command = [...drop, '--', process.execPath, script, 'doctor'];
    const { stdout } = await promisify(execFile)('setpriv', command, { env });
    expect(stdout).toContain('✓ runs as user 65534: sessions are apart by namespaces, under one user id\n');
    expect(stdout).toContain('✓ Chromium starts in the sandbox, with its own sandbox on\n');
    expect(stdout).toMatch(
      /! a session may use all that the machine has: .*\n {4}→ start it by `systemd-run --user/,
    );
  });

  it('gives the same as JSON, and fails when something needed fails', async () => {
    const output = collector();
    const code = await doctor({ ...anyPorts, TURNPIKE_PORT: 'eighty' }, { json: true, output });
    expect(JSON.parse(output.text())).toContainEqual({
      level: 'fail',
      what: 'TURNPIKE_PORT must be a whole number from 0 to 65535, but is "eighty"',
      advice: "correct it, or leave it out for the default, which is 8080. It is: The gateway's port",
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
    const finding = checkMemory(4, 'MemAvailable:     614400 kB\n');
    expect(finding).toMatchObject({
      level: 'warn',
      what: '600 MiB of memory available: room for about 1 sessions, and 4 seats',
      advice: 'end other programs, add memory or set TURNPIKE_HOST_SEATS to 1',
    });
    expect(checkMemory(40, 'MemAvailable:   20971520 kB\n')).toMatchObject({ level: 'ok' });
  });

  it('no Chromium', async () => {
    const finding = await checkChromium('/nowhere/chromium');
    expect(finding).toMatchObject({ level: 'fail', what: 'Chromium is not there (/nowhere/chromium)' });
    expect(finding.advice).toContain('apt-get install chromium');
  });

  it('settings of the host that are none', async () => {
    const findings = await examine({ ...anyPorts, TURNPIKE_CHROMIUM: '/nowhere/chromium' });
    expect(findings).toContainEqual({
      level: 'fail',
      what: 'TURNPIKE_CHROMIUM must name a file that exists, but is "/nowhere/chromium"',
      advice: "correct it, or leave it out for the default, which is Debian's. It is: The browser's program",
    });
    const about = findings.filter(({ what }) => what.includes('TURNPIKE_CHROMIUM'));
    expect(about).toHaveLength(1);
  });

  it('settings that are misspelt, unknown, or invalid for what is to run', () => {
    const env = { TURNPIKE_PROT: '1', TURNPIKE_NOTES: 'x', TURNPIKE_HOST_SEATS: 'many' };
    const misspelt = {
      level: 'fail',
      what: 'TURNPIKE_PROT is not a setting of Turnpike; did you mean TURNPIKE_PORT?',
    };
    const unknown = { level: 'warn', what: 'TURNPIKE_NOTES is not a setting of Turnpike' };
    expect(checkSettings(env, 'gateway')).toMatchObject([unknown, misspelt]);
    expect(checkSettings(env, 'host')).toMatchObject([
      { level: 'fail', what: 'TURNPIKE_HOST_SEATS must be a whole number from 1 to 10000, but is "many"' },
      unknown,
      misspelt,
    ]);
  });

  it('a sandbox that is switched off, and a program that is no browser', async () => {
    const config = readHostConfig({ TURNPIKE_SANDBOX: 'off', TURNPIKE_CHROMIUM: '/usr/bin/false' });
    expect(await checkSandbox(config)).toMatchObject({ level: 'warn' });
    expect(await checkChromiumSandbox(config)).toMatchObject({ level: 'fail' });
  });

  it('no fonts', async () => {
    const empty = await mkdtemp(join(tmpdir(), 'fonts-'));
    expect(checkFonts(empty).advice).toMatch(
      /fonts-liberation fonts-dejavu-core .*fonts-open-sans .*fonts-noto-color-emoji/,
    );
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
    const finding = await checkPort({ TURNPIKE_PORT: `${port}` }, 'TURNPIKE_PORT');
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

  it('a storage of recordings that cannot be written, or does not answer', async () => {
    expect(await checkRecordings({}, '/etc/passwd/data')).toEqual({
      level: 'fail',
      what: 'recordings cannot go to /etc/passwd/data: /etc/passwd is not a directory that can be written',
      advice: 'let this user write it, or set TURNPIKE_RECORDINGS_URL to file: and another directory',
    });
    expect(await checkRecordings({ TURNPIKE_RECORDINGS_URL: `file:${tmpdir()}/new` })).toEqual({
      level: 'ok',
      what: `recordings go to ${tmpdir()}/new`,
    });
    expect(await checkRecordings({})).toMatchObject({ level: 'ok' });
    expect(await checkRecordings({ TURNPIKE_RECORDINGS_URL: 'ftp://somewhere' })).toMatchObject({
      level: 'fail',
      advice: 'set it to file:/directory or s3://bucket/prefix',
    });
    const env = { TURNPIKE_RECORDINGS_URL: 's3://bucket/prefix', AWS_ENDPOINT_URL_S3: 'http://127.0.0.1:1' };
    expect(await checkRecordings(env)).toMatchObject({ level: 'fail' });
  });

  it('a database that does not answer, without its password', async () => {
    await using database = await sharedDatabase();
    expect(await checkDatabase({ DATABASE_URL: database.url })).toMatchObject({ level: 'ok' });
    const finding = await checkDatabase({ DATABASE_URL: 'postgres://u:s3cret@127.0.0.1:1/db' });
    expect(finding).toMatchObject({ level: 'fail', what: 'PostgreSQL does not answer (127.0.0.1:1)' });
    expect(JSON.stringify(finding)).not.toContain('s3cret');
  });
});
