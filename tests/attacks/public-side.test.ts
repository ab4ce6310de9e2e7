import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { watchLeaks } from '../fixtures/suite/leaks.ts';
import { AttackHarness, type HttpAnswer, type Session } from './harness.ts';

watchLeaks({ wholeFile: true });

let harness: AttackHarness;
let session: Session;
let ended: Session;
let base: string;
/** The bytes that a handshake got before it was cut; begun first, because that takes a while. */
let unfinished: Promise<number>;

beforeAll(async () => {
  harness = await AttackHarness.open({ TURNPIKE_HOST_WARM_HEADFUL: '0' });
  session = await harness.session({ headless: 'true' });
  ended = await harness.session({ headless: 'true' });
  base = harness.service.hostUrl.replace(/^ws/, 'http');
  await harness.end(ended);
  const socket = await harness.namespace.connection(Number(new URL(base).port));
  socket.write(`GET /cdp/${session.cdpId} HTTP/1.1\r\nHost: x\r\n`);
  unfinished = once(socket.resume(), 'close').then(() => socket.bytesRead);
});
afterEach(() => harness.expectSealed());
afterAll(() => harness[Symbol.asyncDispose]());

const upgradeHeaders = {
  connection: 'Upgrade',
  upgrade: 'websocket',
  'sec-websocket-version': '13',
  'sec-websocket-key': randomBytes(16).toString('base64'),
};
const upgrade = { headers: upgradeHeaders };

/** Status, headers but for the date, and body: all that an outsider can compare. */
function comparable({ status, headers, text }: HttpAnswer) {
  return { status, headers: headers.filter(([name]) => name.toLowerCase() !== 'date'), text };
}

function unknownIds(): string[] {
  const { cdpId, id } = session;
  const flipped = cdpId.slice(0, -1) + (cdpId.endsWith('0') ? '1' : '0');
  return [
    `br_${randomBytes(20).toString('hex')}`,
    ended.cdpId,
    id, // A session's id opens nothing.
    flipped,
    cdpId.toUpperCase(),
    cdpId.slice(0, -1),
    `${cdpId}0`,
    `${cdpId}%00`,
    `${cdpId}%2f`,
    `%62${cdpId.slice(1)}`,
    `x/../${cdpId}`,
    '__proto__',
    'constructor',
    '..',
    '%2e%2e',
    'a'.repeat(4000),
    '*',
  ];
}

test('unknown, ended and malformed ids all get the same 404, to the byte', async () => {
  for (const suffix of ['', '/json', '/json/version', '/json/list', '/page/x']) {
    const expected = comparable(await harness.request(`${base}/cdp/unknown${suffix}`));
    expect(expected.status).toBe(404);
    for (const id of unknownIds()) {
      const answer = comparable(await harness.request(`${base}/cdp/${id}${suffix}`));
      expect([id, answer]).toEqual([id, expected]);
    }
  }
});

test('a WebSocket to them gets the same 404 before the upgrade', async () => {
  const expected = comparable(await harness.request(`${base}/cdp/unknown`, upgrade));
  expect(expected.status).toBe(404);
  for (const id of [...unknownIds(), `${session.cdpId}/page/unknown`]) {
    expect([id, comparable(await harness.request(`${base}/cdp/${id}`, upgrade))]).toEqual([id, expected]);
  }
});

test('nothing lists sessions: not /, /cdp, /json, /json/version or what Chromium would serve there', async () => {
  const expected = comparable(await harness.request(`${base}/nothing`));
  const paths = [
    '/',
    '/cdp',
    '/cdp/',
    '/json',
    '/json/',
    '/json/version',
    '/json/list',
    '/json/new?about:blank',
  ];
  paths.push(
    '/json/protocol',
    '/devtools/browser',
    '/vnc',
    '/sessions',
    '/metrics',
    '/health/../cdp',
    '/favicon.ico',
  );
  for (const path of paths) {
    const answer = comparable(await harness.request(`${base}${path}`));
    expect([path, answer]).toEqual([path, expected]);
  }
  for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH']) {
    const unknown = `br_${'0'.repeat(40)}`;
    const answer = comparable(await harness.request(`${base}/cdp/${unknown}/json/version`, { method }));
    expect([method, answer]).toEqual([method, expected]);
    const known = await harness.request(`${base}/cdp/${session.cdpId}/json/version`, { method });
    expect([method, known.status]).toEqual([method, 405]);
  }
});

test('a page of a foreign origin cannot drive it, whatever it sends', async () => {
  const origins = [
    'https://evil.example',
    'null',
    'http://localhost',
    'http://127.0.0.1',
    base,
    '',
    'chrome-extension://a',
  ];
  for (const origin of origins) {
    for (const id of [session.cdpId, 'unknown']) {
      const { status } = await harness.request(`${base}/cdp/${id}`, {
        headers: { ...upgradeHeaders, origin },
      });
      expect([origin, id, status]).toEqual([origin, id, 403]);
    }
  }
  // Nor read the discovery answers: no permission is given to any origin.
  const { headers } = await harness.request(`${base}/cdp/${session.cdpId}/json/version`, {
    headers: { origin: 'https://evil.example' },
  });
  expect(headers.filter(([name]) => name.toLowerCase().startsWith('access-control'))).toEqual([]);
});

test('an oversized header is refused', async () => {
  const { status } = await harness.request(`${base}/cdp/${session.cdpId}/json/version`, {
    headers: { 'x-big': 'x'.repeat(20_000) },
  });
  expect(status).toBe(431);
});

test('a handshake that never ends is cut', { tags: 'slow' }, async () => {
  expect(await unfinished).toBeLessThan(500);
});
