// @module-tag slow

import { readFile } from 'node:fs/promises';
import { afterAll, expect, test } from 'vitest';
import { publish } from '../../bench/table.ts';
import { makeCertificates } from '../fixtures/network/certificates.ts';
import { scratchDirectory } from '../fixtures/process/scratch-directory.ts';
import { watchLeaks } from '../fixtures/suite/leaks.ts';
import { type Compared, compareKilled, compareSessions } from './compare-ledger.ts';

watchLeaks();

/** `npm run ledger` sets it, and has the result written to bench/results. */
const asked = process.env['TURNPIKE_LEDGER_SESSIONS'];
const sessions = Number(asked ?? 20);
const seed = Number(process.env['TURNPIKE_LEDGER_SEED'] ?? 1);
const killed = Math.ceil(sessions / 20);
const results: Record<string, Compared[]> = {};

async function certificates(directory: string): Promise<{ cert: Buffer; key: Buffer }> {
  const { certFile, keyFile } = await makeCertificates(directory);
  return { cert: await readFile(certFile), key: await readFile(keyFile) };
}

function expectNoDifference(name: string, compared: Compared[], count: number): void {
  results[name] = compared;
  expect(compared.filter(({ ledger, wire }) => ledger !== 0 || wire !== 0)).toEqual([]);
  expect(compared).toHaveLength(count);
}

test('sessions of mixed traffic: the ledger and the other side differ by 0 bytes', async () => {
  await using directory = await scratchDirectory('ledger');
  const tls = await certificates(directory.path);
  const count = sessions - killed;
  expectNoDifference('closed', await compareSessions({ sessions: count, seed, tls }), count);
}, 900_000);

test('of killed hosts the ledger has all up to the last heartbeat', async () => {
  await using directory = await scratchDirectory('ledger');
  const tls = await certificates(directory.path);
  const name = 'host killed';
  expectNoDifference(name, await compareKilled({ sessions: killed, seed: -seed, tls }), killed);
}, 900_000);

afterAll(async () => {
  if (asked === undefined) return;
  const rows = Object.entries(results).map(([name, compared]) => {
    const sum = (member: keyof Compared) => compared.reduce((all, one) => all + one[member], 0);
    const counts = [sum('destinations'), sum('refused'), sum('bytesUp'), sum('bytesDown')];
    return [name, compared.length, ...counts, sum('ledger'), sum('wire')];
  });
  const head = ['sessions', 'count', 'destinations', 'refused', 'bytes up', 'bytes down'];
  await publish(
    'ledger',
    'The ledger and a counter on the other side of the forwarder',
    [...head, 'sums differ by', 'other side differs by'],
    rows,
    'Each session has plain requests on kept connections, posts, HTTPS, WebSockets by `ws` and `wss`, requests that ' +
      'the page aborts half-way, and requests that `allow_hosts` refuses. The counter is a proxy that counts the ' +
      'bytes of its sockets. Closed sessions are compared while they run, with connections open, and when they have ' +
      'ended. Of killed hosts the stored ledger is compared with the count at the last heartbeat. A page aborts when ' +
      'all that was sent has arrived: bytes that an abort leaves in the buffers of the kernel are sent for the proxy ' +
      'and not received for the host. Made by `npm run ledger`.',
  );
});
