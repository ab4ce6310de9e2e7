import { describe, expect, test } from 'vitest';
import { removeHost } from '../../../apps/gateway/src/hosts/hosts.ts';
import { engines, startGatewayOn, startTestGateway, testStore } from '../../fixtures/gateway/gateway.ts';
import { watchLeaks } from '../../fixtures/suite/leaks.ts';

watchLeaks();

describe.each(engines)("a host in a gateway's process on %s that lost its place", (engine) => {
  test('ends its browsers, those that are still starting too, and takes no more; its gateway goes on', async () => {
    await using gateway = await startGatewayOn(engine);
    const { db } = gateway.running.gateway;
    const account = await gateway.account();
    const { browserId } = (await account.create()).json;
    const opening = Promise.withResolvers<void>();
    const goOn = Promise.withResolvers<void>();
    gateway.host.onOpen = async () => {
      opening.resolve();
      await goOn.promise;
    };
    const late = account.create();
    await opening.promise;
    await expect(removeHost(db, 'stand-in')).rejects.toThrow('has 1 running session');
    expect(await removeHost(db, 'stand-in', { force: true })).toEqual({ isInGateway: true });
    await gateway.running.leases.tick();
    expect(gateway.host.list()).toEqual([]);
    goOn.resolve();
    expect((await late).status).toBeOneOf([502, 503]);
    expect(gateway.host.busy).toBe(0);
    gateway.clock.advance(20_000);
    await gateway.running.leases.tick();
    expect((await account.get(`/api/browser/${browserId}/status`)).json.status).toBe('DEAD');
    expect((await account.create()).json.code).toBe('CAPACITY');
    expect((await account.get('/user/api/limits')).json.active).toBe(0);
    expect(gateway.logs.join('')).toContain('the operator has removed this host: its browsers are ended');
  });
});

test('on PostgreSQL a second all-in-one under the name of one that lives waits until that is gone', async () => {
  await using store = await testStore('postgres');
  const first = await startTestGateway(store.location, { hostName: 'same' });
  const account = await first.account();
  const { browserId } = (await account.create()).json;
  await using second = await startTestGateway(store.location, { hostName: 'same' });
  const there = { ...account, url: second.url };
  const create = () =>
    fetch(`${second.url}/api/browser/create`, {
      method: 'POST',
      headers: { 'x-api-key': there.key, 'content-type': 'application/json' },
      body: JSON.stringify({ proxy: account.proxy }),
    });
  expect((await create()).status).toBe(503);
  await first.running.leases.tick();
  expect((await account.get(`/api/browser/${browserId}/status`)).json.status).toBe('ACTIVE');
  expect(first.host.busy).toBe(1);
  await first[Symbol.asyncDispose]();
  await expect.poll(async () => (await create()).status).toBe(200);
});

test('a run that another has taken the name of ends its browsers before anything else', async () => {
  await using first = await startGatewayOn('sqlite', { hostName: 'same' });
  const account = await first.account();
  await account.create();
  await using second = await startTestGateway(first.location, { hostName: 'same' });
  await first.running.leases.tick();
  expect(first.host.busy).toBe(0);
  expect((await account.create()).json.code).toBe('CAPACITY');
  expect(second.host.busy).toBe(0);
});
