import type { HostConfig } from '@turnpike/host/config';
import { resolverOf } from '@turnpike/host/testing/resolve-proxy';
import {
  newRequest,
  type OpenedSession,
  startTestHost,
  type TestHost,
} from '@turnpike/host/testing/test-host';
import { type Squid, startSquid } from '../fixtures/network/squid.ts';
import { startWebServer, type WebServer } from '../fixtures/network/web-server.ts';
import { type ScratchDirectory, scratchDirectory } from '../fixtures/process/scratch-directory.ts';

export interface PlaywrightSite extends AsyncDisposable {
  web: WebServer;
  squid: Squid;
  host: TestHost;
  scratch: ScratchDirectory;
  open(options?: { headless?: boolean }): Promise<PlaywrightSession>;
}

export interface PlaywrightSession extends OpenedSession {
  playwrightUrl: string;
}

/** A host whose sessions go through Squid, a web server, and a directory for the client's files. */
export async function startPlaywrightSite(more: Partial<HostConfig> = {}): Promise<PlaywrightSite> {
  await using undo = new AsyncDisposableStack();
  const scratch = undo.use(await scratchDirectory('playwright'));
  const web = undo.use(await startWebServer());
  const squid = undo.use(await startSquid());
  const host = undo.use(await startTestHost(more, undefined, undefined, resolverOf()));
  const all = undo.move();
  return {
    web,
    squid,
    host,
    scratch,
    async open(options) {
      const session = await host.open(newRequest(squid.upstream, options));
      return { ...session, playwrightUrl: session.url.replace('/cdp/', '/playwright/') };
    },
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}
