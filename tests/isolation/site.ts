import type { UpstreamProxy } from '@turnpike/contract/host';
import { afterAll, beforeAll } from 'vitest';
import { type Squid, startSquid } from '../fixtures/network/squid.ts';
import { startWebServer, type WebServer } from '../fixtures/network/web-server.ts';

/** A site, and a proxy on the way to it, for all tests of a file. Called first, it is the last to go. */
export function siteBehindProxy() {
  const all = new AsyncDisposableStack();
  let web: WebServer;
  let squid: Squid;
  beforeAll(async () => {
    web = all.use(await startWebServer());
    squid = all.use(await startSquid());
  });
  afterAll(() => all.disposeAsync());
  return {
    get origin(): string {
      return web.origin;
    },
    get proxy(): UpstreamProxy {
      return squid.upstream;
    },
  };
}
