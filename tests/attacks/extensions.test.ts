// @module-tag slow

import { Raw } from '@turnpike/host/testing/raw-client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { extensionFiles, packZip } from '../fixtures/extensions/packed-extension.ts';
import type { TestAccount } from '../fixtures/gateway/gateway.ts';
import { type Service, startService } from '../fixtures/service/service.ts';
import { watchLeaks } from '../fixtures/suite/leaks.ts';

watchLeaks();

const all = new AsyncDisposableStack();
let service: Service;
let account: TestAccount;

beforeAll(async () => {
  service = all.use(await startService({ env: { TURNPIKE_EXTENSIONS_ALLOW: 'none' } }));
  account = await service.account();
});
afterAll(() => all.disposeAsync());

const send = (path: string, method: string, body: string | Buffer) =>
  fetch(service.gatewayUrl + path, {
    method,
    headers: { 'x-api-key': account.key },
    body: typeof body === 'string' ? body : new Uint8Array(body),
  });

const path = '/home/user/files';
const pad = 'x'.repeat(300_000);
const spaces = ' '.repeat(300_000);

/** The same command, written so that who reads only a part of it might not see it. */
const disguises: ((session: string) => string)[] = [
  (session) => `{"id":101,"method":"Extensions.loadUnpacked","params":{"path":"${path}"}${session}}`,
  (session) => `{"id":102,"method":"\\u0045xtensions.loadUnpacked","params":{"path":"${path}"}${session}}`,
  (session) =>
    `{"id":103,"params":{"path":"${path}","pad":"${'x'.repeat(200)}"},"method":"Extensions.loadUnpacked"${session}}`,
  (session) =>
    `{"id":104,"params":{"path":"${path}","pad":"${pad}"},"method":"Extensions.loadUnpacked"${session}}`,
  (session) =>
    `{"id":105,"params":{"path":"${path}"},${spaces}"method":"Extensions.loadUnpacked"${spaces}${session}}`,
  (session) =>
    `{"id":106,"method":"Storage.setCookies","params":{"pad":"${pad}"},"method":"Extensions.loadUnpacked","params":{"path":"${path}","pad":"${pad}"}${session}}`,
  (session) =>
    `{"id":107,"method":"Browser.getVersion","params":{"path":"${path}"},"method":"Extensions.loadUnpacked"${session}}`,
];

test('where the operator allows no extension, none is uploaded, and none is loaded however a client asks', async () => {
  const archive = packZip(extensionFiles());
  const refused = await send('/user/api/extensions', 'POST', archive);
  expect([refused.status, await refused.json()]).toMatchObject([403, { code: 'EXTENSION_NOT_ALLOWED' }]);
  const { json } = await account.create({ headless: true });
  const manifest = String(extensionFiles()[0]?.content);
  const files = `/api/browser/${json.browserId}/files`;
  expect((await send(`${files}/manifest.json`, 'PUT', manifest)).ok).toBe(true);
  await using client = await Raw.connect(json.cdpUrl);
  const { result } = await client.call('Target.attachToBrowserTarget');
  const browserSession = String(result?.['sessionId']);
  const pageSession = await client.attachToPage();
  for (const sessionId of [undefined, browserSession, pageSession]) {
    const session = sessionId === undefined ? '' : `,"sessionId":"${sessionId}"`;
    for (const disguise of disguises) client.socket.send(disguise(session));
    // What was sent before is handled before.
    await client.call('Target.createTarget', { url: 'about:blank' });
  }
  const { result: loaded } = await client.call('Extensions.getExtensions');
  expect(loaded).toEqual({ extensions: [] });
  await account.close(json.browserId);
});
