// @module-tag slow

import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { connect } from 'node:http2';
import { request } from 'node:https';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { chromium } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { startDirectChromium } from '../fixtures/browsers/direct-chromium.ts';
import { makeCertificates } from '../fixtures/network/certificates.ts';
import { freePort } from '../fixtures/network/free-port.ts';
import { startWebServer } from '../fixtures/network/web-server.ts';
import { type Daemon, startDaemon } from '../fixtures/process/daemon.ts';
import { scratchDirectory } from '../fixtures/process/scratch-directory.ts';
import { startService } from '../fixtures/service/service.ts';
import { watchLeaks } from '../fixtures/suite/leaks.ts';
import { read } from './files.ts';

watchLeaks();

interface Addresses {
  /** Ports where TLS is spoken. */
  gatewayPort: number;
  browsersPort: number;
  /** What is behind: `127.0.0.1:…`. */
  gateway: string;
  browsers: string;
}

/** Serves TLS in front of the service by an example of `deploy/tls`, with a certificate in the directory. */
type StartFront = (directory: string, addresses: Addresses) => Promise<Daemon>;

const startNginx: StartFront = async (directory, { gatewayPort, browsersPort, ...behind }) => {
  const site = withAddresses(read('deploy/tls/nginx.conf'), behind)
    .replace('listen 443', `listen 127.0.0.1:${gatewayPort}`)
    .replace('listen 443', `listen 127.0.0.1:${browsersPort}`)
    .replaceAll(/server_name \S+;/g, 'server_name localhost;')
    .replaceAll(/ssl_certificate \S+;/g, `ssl_certificate ${directory}/server.pem;`)
    .replaceAll(/ssl_certificate_key \S+;/g, `ssl_certificate_key ${directory}/server.key;`)
    .replaceAll('/var/log/nginx/turnpike.log', `${directory}/error.log`);
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${directory}/${name};`,
  );
  const file = join(directory, 'nginx.conf');
  const main = `daemon off; pid ${directory}/nginx.pid; error_log ${directory}/error.log;`;
  await writeFile(file, `${main}\nevents {}\nhttp {\n${temporary.join('\n')}\n${site}\n}\n`);
  const args = ['-e', `${directory}/error.log`, '-c', file];
  return startDaemon('nginx', args, { cwd: directory, ready: browsersPort, stopSignal: 'SIGQUIT' });
};

const startCaddy: StartFront = async (directory, { gatewayPort, browsersPort, ...behind }) => {
  const tls = `tls ${directory}/server.pem ${directory}/server.key`;
  const site = withAddresses(read('deploy/tls/Caddyfile'), behind)
    .replace(/^turnpike\.example\.com \{/m, `https://localhost:${gatewayPort} {\n${tls}`)
    .replace(/^browsers\.example\.com \{/m, `https://localhost:${browsersPort} {\n${tls}`);
  const options = `{\nadmin off\nauto_https disable_redirects\nstorage file_system ${directory}/caddy\n}\n`;
  const file = join(directory, 'Caddyfile');
  await writeFile(file, options + site);
  const args = [`HOME=${directory}`, 'caddy', 'run', '--adapter', 'caddyfile', '--config', file];
  return startDaemon('env', args, { cwd: directory, ready: browsersPort });
};

const withAddresses = (site: string, { gateway, browsers }: { gateway: string; browsers: string }) =>
  site.replaceAll('127.0.0.1:8080', gateway).replaceAll('127.0.0.1:8081', browsers);

describe.each([
  ['nginx', '/usr/sbin/nginx', startNginx],
  ['Caddy', '/usr/bin/caddy', startCaddy],
] as const)('%s in front', (_name, program, startFront) => {
  test.skipIf(!existsSync(program))(
    'carries the gateway by HTTP/2, CDP and the live view by WebSocket',
    async () => {
      await using scratch = await scratchDirectory('tls');
      const { caFile } = await makeCertificates(scratch.path);
      const [gatewayPort, browsersPort, hostPort] = [await freePort(), await freePort(), await freePort()];
      const publicUrl = `https://localhost:${gatewayPort}`;
      await using web = await startWebServer();
      await using service = await startService({
        env: {
          TURNPIKE_HOST_PORT: `${hostPort}`,
          TURNPIKE_PUBLIC_URL: publicUrl,
          TURNPIKE_TRUST_PROXY: '127.0.0.1',
          TURNPIKE_HOST_PUBLIC_URL: `wss://localhost:${browsersPort}`,
          TURNPIKE_HOST_VIEWER_ANCESTORS: publicUrl,
        },
      });
      const addresses = {
        gatewayPort,
        browsersPort,
        gateway: new URL(service.gatewayUrl).host,
        browsers: `127.0.0.1:${hostPort}`,
      };
      await using _front = await startFront(scratch.path, addresses);
      const ca = readFileSync(caFile, 'utf8');
      // For Playwright's own socket, which takes no authority of its caller.
      setDefaultCACertificates([...getCACertificates(), ca]);

      const { key, proxy } = await service.account();
      const session = await createByHttp2(publicUrl, ca, key, { proxy, vnc: true });
      expect(session.cdpUrl).toMatch(new RegExp(`^wss://localhost:${browsersPort}/`));
      expect(await redirectOf(publicUrl, ca, { token: key, sessionId: session.browserId })).toBe(
        session.cdpUrl,
      );

      const browser = await chromium.connectOverCDP(session.cdpUrl);
      const page = await browser.contexts()[0]?.newPage();
      await page?.goto(web.origin);
      expect(await page?.title()).toBe('Turnpike test page');
      await seeLiveView(session.vncUrl);
      await browser.close();
      expect(await service.stop()).toBe(0);
    },
    60_000,
  );
});

/** Opens a session by a request over HTTP/2. */
async function createByHttp2(origin: string, ca: string, key: string, body: object): Promise<any> {
  const connection = connect(origin, { ca });
  try {
    await once(connection, 'connect');
    expect(connection.alpnProtocol).toBe('h2');
    const stream = connection.request({
      ':method': 'POST',
      ':path': '/api/browser/create',
      'x-api-key': key,
      'content-type': 'application/json',
    });
    stream.end(JSON.stringify(body));
    const [headers] = await once(stream, 'response');
    const answer = await text(stream);
    expect(headers[':status'], answer).toBe(200);
    return JSON.parse(answer);
  } finally {
    connection.close();
  }
}

/** Where a WebSocket to `/connect` is sent on to. */
async function redirectOf(
  origin: string,
  ca: string,
  query: Record<string, string>,
): Promise<string | undefined> {
  const upgrade = request(`${origin}/connect?${new URLSearchParams(query)}`, {
    ca,
    headers: {
      connection: 'upgrade',
      upgrade: 'websocket',
      'sec-websocket-version': '13',
      'sec-websocket-key': Buffer.alloc(16).toString('base64'),
    },
  });
  upgrade.end();
  const [response] = await once(upgrade, 'response');
  response.resume();
  await once(response, 'close');
  return response.headers.location;
}

/** Looks at a session as a person does: the page and its socket come through the front. */
async function seeLiveView(url: string): Promise<void> {
  await using viewer = await startDirectChromium();
  const browser = await chromium.connectOverCDP(viewer.url);
  const context = await browser.newContext({ ignoreHTTPSErrors: true });
  const page = await context.newPage();
  await page.goto(url);
  await page.locator('body[data-state="connected"] canvas').waitFor();
  await browser.close();
}
