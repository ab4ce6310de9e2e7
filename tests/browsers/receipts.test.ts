// @module-tag slow

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import { expect, test } from 'vitest';
import { turnpike } from '../clients/cli-driver.ts';
import { startWebServer } from '../fixtures/network/web-server.ts';
import { scratchDirectory } from '../fixtures/process/scratch-directory.ts';
import { startService } from '../fixtures/service/service.ts';
import { watchLeaks } from '../fixtures/suite/leaks.ts';

watchLeaks();

test('a receipt names destinations, bytes and what the kernel says, and verifies offline', async () => {
  await using web = await startWebServer();
  await using scratch = await scratchDirectory('receipt');
  const [receipt, keys, changed] = ['receipt', 'keys', 'changed'].map((name) => join(scratch.path, name));
  let id = '';
  {
    await using service = await startService();
    const account = await service.account();
    const opened = await account.connect({ headless: 'true' });
    id = opened.headers.get('x-session-id') ?? '';
    const browser = await chromium.connectOverCDP(opened.text);
    await browser.contexts()[0]?.pages()[0]?.goto(`${web.origin}/`);
    await browser.close();
    await account.close(id);
    const env = { TURNPIKE_URL: service.gatewayUrl, TURNPIKE_API_KEY: account.key };
    const fetched = await turnpike(env, ['receipt', 'get', id]);
    expect(fetched.code).toBe(0);
    await writeFile(receipt ?? '', fetched.stdout);
    await writeFile(changed ?? '', fetched.stdout.replace(/"bytesDown": ?\d+/, '"bytesDown": 1'));
    await writeFile(keys ?? '', (await turnpike(env, ['receipt', 'keys'])).stdout);
    // Its keys verify it even after another has taken its place.
    await service.turnpike('secrets', 'rotate-receipt-key');
    const { status, json } = await account.get(`/user/api/sessions`);
    expect(status).toBe(200);
    const { statement } = JSON.parse(fetched.stdout);
    const { bytesUp, bytesDown } = json.sessions[0];
    expect(statement.traffic).toMatchObject({ bytesUp, bytesDown });
  }

  // The service is gone: nothing can be asked.
  const verify = (file = '') => turnpike({}, ['receipt', 'verify', file, '--keys', keys ?? '', '--json']);
  const { code, stdout, stderr } = await verify(receipt);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const { session, proxy, traffic, sandbox } = JSON.parse(stdout);
  expect(session).toMatchObject({ browserId: id, status: 'CLOSED' });
  expect(proxy).toMatch(/^http:\/\/\*\*\*:\*\*\*@127\.0\.0\.1:\d+$/);
  const { hostname, port } = new URL(web.origin);
  expect(traffic.destinations).toContainEqual(
    expect.objectContaining({ host: hostname, port: Number(port) }),
  );
  expect(sandbox).toMatchObject({ gatewayRoutes: 0, otherInterfaces: 0, packetsOnOtherInterfaces: 0 });
  expect(sandbox.namespaces).toEqual(expect.arrayContaining(['net', 'pid', 'mnt']));
  const loopback = sandbox.interfaces.find(({ name }: { name: string }) => name === 'lo');
  expect(loopback.sentPackets).toBeGreaterThan(0);
  expect(await verify(changed)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('was changed, or is forged'),
  });
});
