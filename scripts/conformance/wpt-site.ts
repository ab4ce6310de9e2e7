import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import http, { createServer } from 'node:http';
import { connect } from 'node:net';
import type { UpstreamProxy } from '@turnpike/contract/host';
import { freePort } from '../../tests/fixtures/network/free-port.ts';
import { closeServer, listen } from '../../tests/fixtures/network/listen.ts';

/** The servers of web-platform-tests, and a proxy for which every name is theirs. */
export interface WptSite extends AsyncDisposable {
  proxy: UpstreamProxy;
  /** What the tests are told of the servers. */
  wptserve: object;
}

const hosts = { '': 'web-platform.test', alt: 'not-web-platform.test' };
const subdomains = ['', 'www', 'www1', 'www2'];

/** Starts `wpt serve` of a checkout. Its configuration is written into `directory`. */
export async function startWptSite(checkout: string, python: string, directory: string): Promise<WptSite> {
  await using undo = new AsyncDisposableStack();
  const free = (count: number) => Promise.all(Array.from({ length: count }, freePort));
  const ports = { http: await free(2), https: await free(2), ws: await free(1), wss: await free(1) };
  const config = `${directory}/serve.json`;
  const own = { server_host: '127.0.0.1', check_subdomains: false, ports };
  await writeFile(
    config,
    JSON.stringify({ browser_host: hosts[''], alternate_hosts: { alt: hosts.alt }, ...own }),
  );
  // It ends with this process, however that ends.
  const [program, ...args] = ['/usr/bin/setpriv', '--pdeathsig=TERM', python, 'wpt', 'serve'] as const;
  const child = spawn(program, [...args, '--config', config, '--no-h2'], { cwd: checkout, stdio: 'ignore' });
  undo.defer(() => end(child));
  await answers(ports.https[0] ?? 0, child);
  const { server, port } = await startProxy();
  undo.defer(() => closeServer(server));
  const named = (host: string) =>
    Object.fromEntries(subdomains.map((name) => [name, name === '' ? host : `${name}.${host}`]));
  const domains = { '': named(hosts['']), alt: named(hosts.alt) };
  const running = undo.move();
  return {
    proxy: { scheme: 'http', host: '127.0.0.1', port, addresses: ['127.0.0.1'] },
    wptserve: { browser_host: hosts[''], ports, domains, all_domains: domains, doc_root: checkout },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  await exited;
}

const startMs = 120_000;

async function answers(port: number, child: ChildProcess): Promise<void> {
  const deadline = AbortSignal.timeout(startMs);
  while (child.exitCode === null) {
    const socket = connect(port, '127.0.0.1');
    try {
      await once(socket, 'connect', { signal: deadline });
      return;
    } catch {
      if (deadline.aborted) break;
      await new Promise((resolve) => setTimeout(resolve, 100));
    } finally {
      socket.destroy();
    }
  }
  throw new Error('`wpt serve` did not start');
}

/** Every name is this machine. */
async function startProxy(): Promise<{ server: http.Server; port: number }> {
  const server = createServer((request, response) => {
    for (const stream of [request, response]) stream.on('error', () => {});
    const url = URL.parse(request.url ?? '');
    const { method, headers } = request;
    const path = url ? url.pathname + url.search : '/';
    const upstream = http.request({ host: '127.0.0.1', port: url?.port, method, path, headers });
    upstream.on('error', () => response.destroy());
    upstream.on('response', (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.statusMessage, answer.rawHeaders);
      answer.on('error', () => response.destroy()).pipe(response);
    });
    request.pipe(upstream);
  });
  server.on('connect', (request, socket, head) => {
    const upstream = connect(Number(request.url?.split(':').at(-1)), '127.0.0.1');
    for (const [one, other] of [
      [socket, upstream],
      [upstream, socket],
    ] as const)
      one.on('error', () => {}).once('close', () => other.end());
    upstream.once('error', () => socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n'));
    upstream.once('connect', () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      upstream.write(head);
      socket.pipe(upstream).pipe(socket);
    });
  });
  return { server, port: await listen(server) };
}
