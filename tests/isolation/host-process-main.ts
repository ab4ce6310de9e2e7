import { startHost } from '@turnpike/host/app';
import { readHostConfig } from '@turnpike/host/config';
import { createLogger } from '@turnpike/process/logger';
import type { FromHost, Question, ToHost } from './host-process.ts';

const tell = (message: FromHost) => process.connected && process.send?.(message);
const config = readHostConfig({ TURNPIKE_HOST_PORT: '0', ...process.env });
const starting = startHost(config, createLogger('info'));
process.on('disconnect', async () => {
  await (await starting).shutdown();
  process.exit();
});
const host = await starting;
host.onEnded((ended) => tell({ ended }));

async function answer(question: Question): Promise<unknown> {
  if ('open' in question) return host.open(question.open, new AbortController().signal);
  if ('close' in question) return host.close(question.close);
  await host.warmed();
  globalThis.gc?.();
  return process.memoryUsage().heapUsed;
}

process.on('message', async (message: ToHost) => {
  const { call } = message;
  try {
    tell({ call, result: await answer(message) });
  } catch (error) {
    const { code, message: text } = error as Error & { code: string };
    tell({ call, error: { code, message: text } });
  }
});
tell({ up: host.publicUrl });
