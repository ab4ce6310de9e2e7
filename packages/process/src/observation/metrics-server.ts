import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Registry } from 'prom-client';

export interface MetricsServer extends AsyncDisposable {
  /** The URL for Prometheus. */
  url: string;
}

/** Serves the metrics of a process on a separate port, for the operator. */
export async function serveMetrics(
  registry: Registry,
  { bind, port }: { bind: string; port: number },
): Promise<MetricsServer> {
  const server = createServer(async (request, response) => {
    const path = request.url?.split('?')[0];
    if (path !== '/metrics' || (request.method !== 'GET' && request.method !== 'HEAD')) {
      response.writeHead(404, { 'content-type': 'text/plain' }).end('Not Found: see /metrics\n');
      return;
    }
    try {
      const text = await registry.metrics();
      response.writeHead(200, { 'content-type': registry.contentType }).end(text);
    } catch {
      response.writeHead(500, { 'content-type': 'text/plain' }).end('The metrics could not be collected\n');
    }
  });
  server.listen(port, bind);
  await once(server, 'listening');
  const address = server.address() as AddressInfo;
  return {
    url: `http://${bind.includes(':') ? `[${bind}]` : bind}:${address.port}/metrics`,
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}
