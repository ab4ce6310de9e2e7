// @module-tag slow
import { execFile } from 'node:child_process';
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { watchLeaks } from '../fixtures/suite/leaks.ts';
import { install, madeOnce, orSkip, pythonPackages } from '../real-clients/installed.ts';
import { type PlaywrightSite, startPlaywrightSite } from './playwright-session.ts';

watchLeaks({ wholeFile: true });

const run = promisify(execFile);
const programs = join(import.meta.dirname, 'programs');

let site: PlaywrightSite;
beforeAll(async () => {
  site = await startPlaywrightSite();
});
afterAll(() => site[Symbol.asyncDispose]());

async function output(program: string, args: string[]): Promise<string> {
  const session = await site.open();
  const env = {
    ...process.env,
    PLAYWRIGHT_URL: session.playwrightUrl,
    SITE: site.web.origin,
    TMPDIR: site.scratch.path,
  };
  const { stdout } = await run(program, args, { env, timeout: 200_000 });
  await site.host.host.close(session.sessionId);
  return stdout;
}

test.each(['1.65.2', '1.64.1', '1.63.0', '1.62.0', '1.61.0'])('Playwright %s for Python', async (version) => {
  const python = await orSkip(pythonPackages(`playwright==${version}`), (reason) => expect.fail(reason));
  expect(JSON.parse(await output(python, [join(programs, 'with_playwright_connect.py')]))).toEqual({
    title: 'Turnpike test page',
    pressed: 'pressed',
    typed: 'Ada',
    frame: 'inner',
    dialog: 'yes',
    uploaded: 'dear all',
    downloaded: 'the report',
    picture: 'PNG',
    pdf: 'PDF',
    exposed: 42,
    intercepted: 'from the client',
    trace: true,
    request: 200,
    cookies: [0, 1],
  });
});

test('Playwright for Java', async () => {
  const made = madeOnce('maven playwright 1.62.0', async (directory) => {
    await cp(join(programs, 'java'), directory, { recursive: true });
    await install('mvn', ['-q', '-B', 'compile', 'dependency:copy-dependencies'], directory);
  });
  const directory = await orSkip(made, (reason) => expect.fail(reason));
  const path = `${directory}/target/classes:${directory}/target/dependency/*`;
  const said = (await output('java', ['-cp', path, 'Client'])).matchAll(/^outcome (\w+): (.*)$/gm);
  expect(Object.fromEntries(Array.from(said, ([, name, value]) => [name, value]))).toEqual({
    title: 'Turnpike test page',
    pressed: 'pressed',
    typed: 'Ada',
    dialog: 'yes',
    uploaded: 'dear all',
    downloaded: 'the report',
    picture: 'PNG',
    intercepted: 'from the client',
    request: '200',
  });
});
