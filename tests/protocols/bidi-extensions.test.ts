// @module-tag slow
import {
  newRequest,
  type OpenedSession,
  startTestHost,
  type TestHost,
} from '@turnpike/host/testing/test-host';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { extensionFiles } from '../fixtures/extensions/packed-extension.ts';
import { startWorldProxy, type WorldProxy } from '../fixtures/network/world-proxy.ts';
import { watchLeaks } from '../fixtures/suite/leaks.ts';
import { connectBidi } from './bidi-connection.ts';

/** BiDi's `webExtension.install` takes a path in the session's files, where the account may. */

watchLeaks({ wholeFile: true });

const all = new AsyncDisposableStack();
let world: WorldProxy;
let running: TestHost;

beforeAll(async () => {
  world = all.use(await startWorldProxy((_asked, response) => void response.end('<title>page</title>')));
  running = all.use(await startTestHost());
});
afterAll(() => all.disposeAsync());

/** Uploads an extension to the session's files, and connects. */
async function prepare(mayLoadExtensions: boolean) {
  const session = await running.open({ ...newRequest(world.upstream), mayLoadExtensions });
  for (const { path, content } of extensionFiles()) await upload(session, path, String(content));
  const bidi = await connectBidi(session.url.replace('/cdp/', '/bidi/'));
  await bidi.call('session.new', { capabilities: {} });
  return bidi;
}

async function upload({ url }: OpenedSession, name: string, body: string): Promise<void> {
  const sent = await fetch(`${url.replace(/^ws/, 'http')}/files/${name}`, { method: 'PUT', body });
  expect(sent.ok).toBe(true);
}

const install = (path: string) => ({ extensionData: { type: 'path', path } });

test('an extension in the session’s files is installed and removed, and no other path is taken', async () => {
  await using bidi = await prepare(true);
  const installed = await bidi.call('webExtension.install', install('/home/user/files'));
  expect(installed.result).toEqual({ extension: expect.stringMatching(/^[a-p]{32}$/) });
  expect(await bidi.call('webExtension.uninstall', { extension: installed.result.extension })).toMatchObject({
    type: 'success',
  });
  for (const path of ['/home/user/profile', '/usr/share', '/home/user/files/../profile'])
    expect(await bidi.call('webExtension.install', install(path))).toMatchObject({ type: 'error' });
});

test('where the account may not load extensions, none is installed', async () => {
  await using bidi = await prepare(false);
  const refused = await bidi.call('webExtension.install', install('/home/user/files'));
  expect(refused).toMatchObject({ type: 'error' });
});
