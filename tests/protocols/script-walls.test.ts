// @module-tag slow
import type { ScriptAnswer, ScriptCall } from '@turnpike/contract/page/script';
import { maxScriptAnswerBytes } from '@turnpike/contract/page/script';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { watchLeaks } from '../fixtures/suite/leaks.ts';
import { pidsOf } from '../isolation/session-group.ts';
import { type PlaywrightSite, startPlaywrightSite } from './playwright-session.ts';
import { workerProcesses } from './worker-processes.ts';

/** What a script does that means harm, or is wrong, in a real session. */

watchLeaks({ wholeFile: true });

let site: PlaywrightSite;
beforeAll(async () => {
  site = await startPlaywrightSite({ sessionMemoryBytes: 768 * 2 ** 20 });
});
afterAll(() => site[Symbol.asyncDispose]());

interface ScriptedSession extends AsyncDisposable {
  sessionId: string;
  url: string;
  run(code: string, more?: { timeoutMs?: number; signal?: AbortSignal }): Promise<string>;
}

/** Its scripts are written without their first line. An answer is its text, or the code and words of its error. */
async function openSession(): Promise<ScriptedSession> {
  const { sessionId, url } = await site.open({ headless: true });
  return {
    sessionId,
    url,
    async run(code, { timeoutMs = 60_000, signal = new AbortController().signal } = {}) {
      const call: ScriptCall = {
        kind: 'function',
        code: `export default async ({ page, context }) => { ${code} }`,
        context: {},
        viewport: { width: 800, height: 600 },
        timeoutMs,
      };
      return shown(await site.host.host.runScript(sessionId, call, signal));
    },
    async [Symbol.asyncDispose]() {
      await site.host.host.close(sessionId);
      await expect.poll(() => leftOf(), { timeout: 20_000 }).toEqual([]);
    },
  };
}

/** What scripts start here. */
const leftOf = () => [...workerProcesses(), ...pidsOf('sleep')];

function shown(answer: ScriptAnswer | undefined): string {
  if (!answer) return 'no session';
  if ('error' in answer) return `${answer.error.code}: ${answer.error.message}`;
  return Buffer.from(answer.body).toString();
}

test('a script has an empty environment, and the user of its session', async () => {
  await using session = await openSession();
  const seen = JSON.parse(
    await session.run(`
      const { readFileSync } = await import('node:fs');
      const initial = readFileSync('/proc/self/environ', 'latin1').split('\\0').filter(Boolean);
      return { env: process.env, names: initial.map((each) => each.split('=')[0]).sort(), uid: process.getuid() };`),
  );
  expect(seen.env).toEqual({});
  expect(seen.names).toEqual(
    expect.arrayContaining(['DBUS_SESSION_BUS_ADDRESS', 'FORWARDER_URL', 'HOME', 'LANG', 'PATH']),
  );
  expect(seen.names.filter((name: string) => /TURNPIKE|KEY|SECRET|TOKEN|NODE/.test(name))).toEqual([]);
});

test('a loop without end is given up in time, and ends with its session', async () => {
  await using session = await openSession();
  expect(await session.run('for (;;);', { timeoutMs: 4000 })).toMatch(/^SCRIPT_TIMEOUT/);
  expect(workerProcesses()).toHaveLength(1);
});

test('one script at a time: another is refused, and the next one runs', async () => {
  await using session = await openSession();
  const first = session.run('await new Promise((r) => setTimeout(r, 2000)); return "first";');
  expect(await session.run('return 1')).toContain('runs a script already');
  expect(await first).toBe('first');
  expect(await session.run('return 2')).toBe('2');
});

test('what fills the memory is ended by the kernel, and others notice nothing', async () => {
  await using neighbour = await openSession();
  {
    const { sessionId, run } = await openSession();
    const answer = await run('const held = []; for (;;) held.push(Buffer.alloc(2 ** 24, 1));');
    expect(answer).toMatch(/^SCRIPT_FAILED: The process of the script ended|^no session$/);
    await site.host.host.close(sessionId);
  }
  expect(await neighbour.run('return page.evaluate(() => 6 * 7)')).toBe('42');
});

test('answers that are too large, or none, are errors', async () => {
  await using session = await openSession();
  const large = maxScriptAnswerBytes + 1;
  expect(await session.run(`return new Uint8Array(${large})`)).toContain(`${large} bytes`);
  expect(await session.run(`return 'x'.repeat(${large})`)).toContain(`${large} bytes`);
  const exact = await session.run(`return new Uint8Array(${maxScriptAnswerBytes}).fill(97)`);
  expect(exact).toHaveLength(maxScriptAnswerBytes);
  const forged = (bytes: string) =>
    session.run(`
      const sockets = process._getActiveHandles().filter((handle) => handle.write && handle.remoteAddress === undefined);
      for (const socket of sockets) socket.write(Buffer.from(${bytes}));
      await new Promise((r) => setTimeout(r, 1000));`);
  expect(await forged('[255, 255, 255, 255, 1, 2]')).toMatch(/^SCRIPT_FAILED/);
  expect(await forged("'\\0\\0\\0\\u0001{'")).toMatch(/^SCRIPT_FAILED/);
  expect(await session.run('return "and then"')).toBe('and then');
});

test('processes that a script leaves behind end with the session', async () => {
  await using session = await openSession();
  expect(
    await session.run(`
      const { spawn } = await import('node:child_process');
      spawn('/bin/sleep', ['1000'], { detached: true, stdio: 'ignore' }).unref();
      return 'left';`),
  ).toBe('left');
  expect(pidsOf('sleep')).toHaveLength(1);
});

test('a bomb of processes reaches the limit of its session', async () => {
  await using neighbour = await openSession();
  {
    const { sessionId, run } = await openSession();
    const answer = run(
      `const { spawn } = await import('node:child_process');
      for (let count = 0; ; count += 1) {
        const child = spawn('/bin/sleep', ['1000'], { detached: true, stdio: 'ignore' });
        const failed = await new Promise((r) => child.once('error', r).once('spawn', () => r()));
        if (failed) return failed.code;
      }`,
      { timeoutMs: 60_000 },
    );
    expect(await neighbour.run('return page.evaluate(() => 6 * 7)')).toBe('42');
    expect(await answer).toMatch(/EAGAIN|SCRIPT_FAILED|no session/);
    await site.host.host.close(sessionId);
  }
});

test('a script ends with its session, and with its caller', async () => {
  const session = await openSession();
  const hangUp = new AbortController();
  const forever = 'await page.goto("data:text/html,running"); for (;;) await page.evaluate(() => 1);';
  const left = session.run(forever, { signal: hangUp.signal });
  const targets = async () => await (await fetch(`${session.url.replace('ws', 'http')}/json/list`)).text();
  await expect.poll(targets, { timeout: 20_000 }).toContain('running');
  hangUp.abort();
  await expect(left).rejects.toThrow();
  await expect.poll(() => workerProcesses().length, { timeout: 20_000 }).toBe(0);
  const waiting = session.run('await new Promise(() => {});');
  await expect.poll(() => workerProcesses().length, { timeout: 20_000 }).toBe(1);
  await session[Symbol.asyncDispose]();
  expect(await waiting).toMatch(/^no session$|ended before it answered/);
  expect(await session.run('return 1')).toBe('no session');
});
