import { parseProductMap } from '@turnpike/tunnel/addresses/product-map';
import { expect, test } from 'vitest';
import { call, startGatewayOn } from '../../fixtures/gateway/gateway.ts';
import { watchLeaks } from '../../fixtures/suite/leaks.ts';

watchLeaks();

const metered = 'http://198.51.100.7:3128';
const other = 'http://198.51.100.8:3128';
const products = parseProductMap(
  JSON.stringify({ 'rotating-isp': { upstreams: [{ url: metered, country: 'fr', meter: 'session' }] } }),
);

test.each([
  [metered, other],
  [other, metered],
])('a session through %s has no rule, context or change to %s, which counts otherwise', async (own, next) => {
  await using gateway = await startGatewayOn('sqlite', { products });
  const account = await gateway.account();
  const rules = [{ hosts: ['a.test'], proxy: next }];
  const refused = await account.post('/api/browser/create', { proxy: own, proxy_rules: rules });
  expect(refused).toMatchObject({
    status: 400,
    json: { code: 'PROXY_INVALID', detail: expect.stringContaining('proxy_rules') },
  });
  const alike = [{ hosts: ['a.test'], proxy: own }];
  const created = await account.post('/api/browser/create', { proxy: own, proxy_rules: alike });
  expect(created, created.text).toMatchObject({ status: 200 });
  const sessionId = created.json.browserId;
  const { signal } = new AbortController();
  const { resolveProxy } = gateway.running;
  expect(await resolveProxy({ sessionId, proxy: own }, signal)).toMatchObject({ ok: true });
  expect(await resolveProxy({ sessionId, proxy: next }, signal)).toMatchObject({
    ok: false,
    refusal: expect.stringContaining('another product'),
  });
  const change = (proxy: string) =>
    call(`${gateway.url}/api/browser/${sessionId}`, {
      method: 'PATCH',
      headers: { 'x-api-key': account.key, 'content-type': 'application/json' },
      body: JSON.stringify({ proxy }),
    });
  expect(await change(next)).toMatchObject({ status: 400, json: { code: 'PROXY_INVALID' } });
  expect(await change(own)).toMatchObject({ status: 200 });
  expect(gateway.host.proxyChanges).toHaveLength(1);
});
