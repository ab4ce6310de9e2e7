import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const run = promisify(execFile);
const tested = new URL('./escaped-errors.ts', import.meta.url).href;

/** Vitest has handlers of its own for escaped errors, so this runs in a process of its own. */
const program = `
  import net from 'node:net';
  import { pino } from 'pino';
  import { Registry } from 'prom-client';
  const { containEscapedErrors } = await import(process.argv[1]);
  const registry = new Registry();
  const contained = containEscapedErrors(pino(), registry);
  setTimeout(() => { throw new Error('thrown in a timer'); });
  Promise.reject(new Error('rejected and not caught'));
  new net.Socket().destroy(new Error('a socket without a listener'));
  Promise.reject(Object.create(null, { stack: { get() { throw new Error('hostile'); } } }));
  setTimeout(async () => {
    console.log(await registry.metrics());
    contained[Symbol.dispose]();
    throw new Error('after disposal');
  }, 50);
`;

test('errors that nobody catches are logged as fatal and counted, and the process goes on', async () => {
  const failure = await run(process.execPath, ['--input-type=module-typescript', '-e', program, tested], {
    cwd: import.meta.dirname,
  }).catch((error) => error);
  const lines = failure.stdout.split('\n');
  const fatal = lines.filter((line: string) => line.includes('"level":60'));
  expect(fatal.join()).toContain('thrown in a timer');
  expect(fatal.join()).toContain('rejected and not caught');
  expect(fatal.join()).toContain('a socket without a listener');
  expect(lines).toContain('turnpike_escaped_errors_total 4');
  // Disposed of, it leaves errors to Node again.
  expect(failure.code).toBe(1);
  expect(failure.stderr).toContain('after disposal');
});

const logging = `
  import { pino } from 'pino';
  import { Registry } from 'prom-client';
  const { containEscapedErrors } = await import(process.argv[1]);
  const registry = new Registry();
  containEscapedErrors(pino(process.stderr), registry);
  process.stderr.write('ready');
  process.on('message', async () => {
    for (let i = 0; i < 10; i++) process.stderr.write('a line');
    await new Promise((resolve) => process.stderr.write('the last line', resolve));
    await new Promise(setImmediate);
    process.send(await registry.metrics(), () => process.exit());
  });
`;

test('a log that nobody reads any more costs nothing but the log', async () => {
  const child = spawn(process.execPath, ['--input-type=module-typescript', '-e', logging, tested], {
    cwd: import.meta.dirname,
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  const exited = once(child, 'exit');
  const stderr = child.stderr as Readable;
  await once(stderr, 'data');
  stderr.destroy();
  await once(stderr, 'close');
  const answered = once(child, 'message');
  child.send('log');
  expect((await answered)[0]).toContain('turnpike_escaped_errors_total 0');
  expect(await exited).toEqual([0, null]);
});
