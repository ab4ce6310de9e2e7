import { fork } from 'node:child_process';
import { once } from 'node:events';
import http from 'node:http';
import { Server } from 'proxy-chain';
import { startService } from '../tests/fixtures/service.ts';
import { startWebServer } from '../tests/fixtures/web-server.ts';
import { inTurns, median } from './measure.ts';
import { publish } from './table.ts';

const roundMs = 1000;

/** Compares the metered proxy with a bare proxy-chain server, each in its own process, interleaved. */

if (process.argv[2] === 'proxy-chain') {
  const server = new Server({
    host: '127.0.0.1',
    port: 0,
    prepareRequestFunction: ({ password }) => ({ requestAuthentication: password !== 'p' }),
  });
  await server.listen();
  process.send?.(server.port);
  process.on('disconnect', () => process.exit());
} else {
  await main();
}

interface Way {
  port: number;
  authorization: string;
}

async function main(): Promise<void> {
  await using web = await startWebServer();
  await using service = await startService({ env: { TURNPIKE_LOG_LEVEL: 'warn' } });
  const rival = fork(import.meta.filename, ['proxy-chain']);
  const [rivalPort] = await once(rival, 'message');
  const login = new URL(service.demoProxyUrl);
  const basic = (user: string) => `Basic ${btoa(user)}`;
  const ours: Way = { port: Number(login.port), authorization: basic(`${login.username}:${login.password}`) };
  const theirs: Way = { port: rivalPort, authorization: basic('u:p') };
  const rounds = 9;
  const both = (measure: (way: Way) => Promise<number>) =>
    inTurns(rounds, { 'proxy-chain': () => measure(theirs), ours: () => measure(ours) });
  const rows: (string | number)[][] = [];
  const measures = {
    'plain requests a second, 32 at once': (way: Way) => plainRequests(way, `${web.origin}/`),
    'new tunnels a second, 16 at once': (way: Way) => tunnels(way, web.port),
    'MB a second through a tunnel, 4 at once': (way: Way) => megabytes(way, web.port),
  };
  for (const [name, measure] of Object.entries(measures)) {
    const results = await both(measure);
    const [them, us] = [median(results['proxy-chain']), median(results.ours)];
    rows.push([name, them.toFixed(0), us.toFixed(0), `${Math.round((us / them) * 100)}%`]);
  }
  rival.disconnect();
  await publish(
    'proxy',
    'The metered proxy',
    ['', 'proxy-chain', 'Turnpike, metering', 'ratio'],
    rows,
    `Medians of ${rounds} rounds, interleaved.`,
  );
}

async function rate(parallel: number, work: () => Promise<number>): Promise<number> {
  const started = performance.now();
  const end = started + roundMs;
  let sum = 0;
  const loop = async () => {
    while (performance.now() < end) sum += await work();
  };
  await Promise.all(Array.from({ length: parallel }, loop));
  return (sum * 1000) / (performance.now() - started);
}

async function plainRequests({ port, authorization }: Way, url: string): Promise<number> {
  const agent = new http.Agent({ keepAlive: true });
  const headers = { 'proxy-authorization': authorization, host: new URL(url).host };
  const requests = await rate(32, async () => {
    const [response] = await once(
      http.get({ host: '127.0.0.1', port, path: url, headers, agent }),
      'response',
    );
    response.resume();
    await once(response, 'end');
    return 1;
  });
  agent.destroy();
  return requests;
}

async function openTunnel({ port, authorization }: Way, target: number) {
  const path = `127.0.0.1:${target}`;
  const request = http.request({
    host: '127.0.0.1',
    port,
    method: 'CONNECT',
    path,
    headers: { 'proxy-authorization': authorization },
    agent: false,
  });
  const [response, socket] = await once(request.end(), 'connect');
  if (response.statusCode !== 200) throw new Error(`tunnel: ${response.statusCode}`);
  return socket;
}

function tunnels(way: Way, target: number): Promise<number> {
  return rate(16, async () => {
    const socket = await openTunnel(way, target);
    socket.destroy();
    return 1;
  });
}

function megabytes(way: Way, target: number): Promise<number> {
  const size = 20_000_000;
  return rate(4, async () => {
    const socket = await openTunnel(way, target);
    socket.write(`GET /bytes/${size} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
    let bytes = 0;
    for await (const chunk of socket) bytes += chunk.length;
    return bytes / 1e6;
  });
}
