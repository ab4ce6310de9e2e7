import { createHost } from '@turnpike/host/app';
import { readHostConfig } from '@turnpike/host/config';
import { createLogger } from '@turnpike/process/logger';
import type { FromHost, ToHost } from './host-process.ts';

const tell = (message: FromHost) => process.connected && process.send?.(message);
const host = createHost(readHostConfig({ TURNPIKE_HOST_PORT: '0', ...process.env }), createLogger('info'));
host.onEnded((ended) => tell({ ended }));

process.on('message', async (message: ToHost) => {
  const { call } = message;
  try {
    const never = new AbortController().signal;
    const result = 'open' in message ? await host.open(message.open, never) : await host.close(message.close);
    tell({ call, result });
  } catch (error) {
    const { code, message: text } = error as Error & { code: string };
    tell({ call, error: { code, message: text } });
  }
});
process.on('disconnect', async () => {
  await host.shutdown();
  process.exit();
});

await host.listen();
tell({ up: host.publicUrl });
