import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Sample, VictimOptions } from '../fairness/victim-main.ts';
import { closeSessions, type TestAccount } from '../fixtures/gateway/gateway.ts';
import type { Service } from '../fixtures/service/service.ts';

/** A tenant in a process of its own that measures how long it waits, and a process that only measures the machine. */
export interface Waiting extends AsyncDisposable {
  readonly longestMs: Record<'health' | 'cdp' | 'idle', number>;
}

const program = join(import.meta.dirname, '../fairness/victim-main.ts');

export async function startWaiting({ gatewayUrl }: Service, account: TestAccount): Promise<Waiting> {
  const longestMs = { health: 0, cdp: 0, idle: 0 };
  const { json } = await account.create({ headless: true });
  const options: VictimOptions = { gatewayUrl, key: account.key, proxy: account.proxy, cdpUrl: json.cdpUrl };
  const children = [options, 'machine'].map((order) => {
    const child = fork(program, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
    child.on('message', ({ kind, ms }: Sample) => {
      if (kind in longestMs) longestMs[kind as 'health'] = Math.max(longestMs[kind as 'health'], ms);
    });
    child.send(order);
    return child;
  });
  let isOver = false;
  return {
    longestMs,
    async [Symbol.asyncDispose]() {
      if (isOver) return;
      isOver = true;
      for (const child of children) {
        const exited = once(child, 'exit');
        child.kill('SIGKILL');
        await exited;
      }
      await closeSessions(account);
    },
  };
}
