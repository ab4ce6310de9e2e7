import { Server } from 'proxy-chain';
import type { ProxyConfig } from './config.ts';

export interface RunningProxy {
  url: string;
  stop(): Promise<void>;
}

/**
 * A plain forward proxy for a first session on one's own machine: no password, so loopback only. It stands
 * where the metered proxy will.
 */
export async function startLocalProxy(config: ProxyConfig): Promise<RunningProxy> {
  const server = new Server({ host: '127.0.0.1', port: config.port });
  await server.listen();
  return {
    url: `http://127.0.0.1:${server.port}`,
    stop: () => server.close(true),
  };
}
