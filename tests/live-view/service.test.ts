// @module-tag slow

import { expect, test } from 'vitest';
import { startService } from '../fixtures/service/service.ts';
import { watchLeaks } from '../fixtures/suite/leaks.ts';

watchLeaks();

test('a create with vnc=true answers where to look, and nobody else is told', async () => {
  await using service = await startService();
  const account = await service.account();
  const opened = await account.connect({ vnc: 'true' });
  expect(opened.status).toBe(200);
  const viewUrl = opened.headers.get('x-vnc-url') ?? '';
  expect(viewUrl).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/vnc\/[0-9a-f]{40}$/);
  const token = viewUrl.split('/').at(-1) ?? '';
  const cdpId = opened.text.trim().split('/').at(-1) ?? '';
  expect(cdpId).toMatch(/^br_[0-9a-f]{40}$/);
  expect(cdpId).not.toContain(token);
  const id = opened.headers.get('x-session-id') ?? '';
  expect((await account.get(`/api/browser/${id}/status`)).json.vncUrl).toBe(viewUrl);
  expect((await account.connect({ sessionId: id })).headers.get('x-vnc-url')).toBe(viewUrl);

  const page = await fetch(viewUrl);
  expect(page.status).toBe(200);
  const ancestors = /frame-ancestors ([^;]*)/.exec(page.headers.get('content-security-policy') ?? '')?.[1];
  expect(ancestors).toBe(`'self' ${new URL(service.gatewayUrl).origin}`);
  expect(await page.text()).not.toContain(cdpId.slice(3));

  const headless = await account.connect({ vnc: 'true', headless: 'true' });
  expect(headless.headers.has('x-vnc-url')).toBe(false);
  const headlessId = headless.headers.get('x-session-id');
  expect((await account.get(`/api/browser/${headlessId}/status`)).json).not.toHaveProperty('vncUrl');

  await account.close(id);
  expect((await fetch(viewUrl)).status).toBe(404);
  await service.stop();
  expect(service.logs()).not.toContain(token);
});
