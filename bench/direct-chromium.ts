import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { chown, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { chromiumFlags } from '@turnpike/host/chromium/flags';
import { ControlGroups } from '@turnpike/host/sandbox/control-groups';

const nobody = 65_534;

interface DirectOptions {
  headless?: boolean;
  /** In a control group with the caps and the weight of a session's. */
  capped?: boolean;
}

const caps = { memoryBytes: 2 ** 31, processes: 2048 };

/** The same Chromium with the same flags as a session's, but with a DevTools port and no sandbox around it. */
export async function startDirectChromium({
  headless = true,
  capped = false,
}: DirectOptions = {}): Promise<AsyncDisposable & { url: string; pid: number }> {
  const profile = await mkdtemp(join(tmpdir(), 'bench-'));
  const root = process.getuid?.() === 0;
  if (root) await chown(profile, nobody, nobody);
  const own = /^--(remote-debugging|user-data-dir|proxy|user-agent)/;
  const start = { headless, userAgent: '', uiLanguage: undefined, pixelRatio: 1 };
  const flags = chromiumFlags(start).filter((flag) => !own.test(flag));
  const child = spawn(
    '/usr/lib/chromium/chromium',
    ['--remote-debugging-port=0', `--user-data-dir=${profile}`, ...flags],
    {
      stdio: ['ignore', 'ignore', 'pipe'],
      env: { HOME: profile, PATH: '/usr/bin' },
      ...(root ? { uid: nobody, gid: nobody } : {}),
    },
  );
  const exited = once(child, 'exit');
  const group = capped ? ControlGroups.find(caps).create() : undefined;
  for (const entrance of group?.entrances ?? []) writeFileSync(entrance, String(child.pid));
  const listening = Promise.withResolvers<string>();
  createInterface({ input: child.stderr }).on('line', (line) => {
    const url = /^DevTools listening on (ws:\S+)/.exec(line)?.[1];
    if (url) listening.resolve(url);
  });
  exited.then(() => listening.reject(new Error('Chromium did not start')));
  return {
    url: await listening.promise,
    pid: child.pid ?? 0,
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await exited;
      await group?.remove();
      await rm(profile, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
    },
  };
}
