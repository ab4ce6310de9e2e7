import { expect, test } from 'vitest';
import { openStream } from '../../fixtures/gateway/event-reader.ts';
import { type Engine, startGatewayOn, type TestGateway } from '../../fixtures/gateway/gateway.ts';
import { watchLeaks } from '../../fixtures/suite/leaks.ts';
import { describeEach } from '../../fixtures/suite/matrix.ts';

watchLeaks();

/** Lets the gateway hear of its host until a session is asleep, or awake. */
async function untilStandby(gateway: TestGateway, read: () => Promise<unknown>, standby: boolean) {
  await expect
    .poll(async () => {
      await gateway.running.leases.tick();
      return read();
    })
    .toMatchObject({ standby });
}

describeEach<Engine>({ quick: ['sqlite', 'postgres'], slow: [] })('standby on %s', (engine) => {
  test('seconds asleep are told apart and cost what the operator says, to the millisecond', async () => {
    await using gateway = await startGatewayOn(engine, { standbyPermille: 125 });
    const { host, clock } = gateway;
    clock.stop();
    const account = await gateway.account();
    const stream = await openStream(gateway.url, account.key);
    const id = (await account.create({ standby: 5 })).json.browserId;
    const status = async () => (await account.get(`/api/browser/${id}/status`)).json;
    expect(await status()).toMatchObject({ standby: false, browserParams: { standby: 5 } });
    expect(await status()).not.toHaveProperty('standbySince');
    const createdAt = Date.parse((await status()).createdAt);

    // Awake for 40 s, asleep for 100.5 s, awake for 7 s, and asleep for 60.25 s until it is closed.
    clock.set(createdAt + 40_000);
    host.setStandby(id, { totalMs: 0, asleepForMs: 0 });
    await untilStandby(gateway, status, true);
    expect(await status()).toMatchObject({
      status: 'ACTIVE',
      standbySince: new Date(createdAt + 40_000).toISOString(),
    });
    clock.advance(100_500);
    host.setStandby(id, { totalMs: 100_500 });
    await untilStandby(gateway, status, false);
    clock.advance(7000);
    host.setStandby(id, { totalMs: 100_500, asleepForMs: 0 });
    await untilStandby(gateway, status, true);
    clock.advance(60_250);
    host.setStandby(id, { totalMs: 160_750 });
    await account.close(id);

    const [record] = (await account.get('/user/api/sessions')).json.sessions;
    const billed = Math.ceil(47 + 160.75 / 8);
    expect(record).toMatchObject({
      ...{ status: 'CLOSED', durationSeconds: 208, billedSeconds: billed },
      ...{ standbySeconds: 160, standbyFactor: 0.125 },
    });
    expect((await account.get('/user/api/me')).json.usage.browserSeconds).toBe(billed);
    expect(await status()).not.toHaveProperty('standbySince');
    // Asleep for the second time at its end, it does not wake.
    const types = (await stream.take(5)).map(({ type }) => type);
    expect(types).toEqual([
      ...['session.started', 'session.standby', 'session.woke', 'session.standby', 'session.closed'],
    ]);
    stream.hangUp();
    await stream.ended;
  });

  test('without a factor a session costs asleep what it costs awake', async () => {
    await using gateway = await startGatewayOn(engine);
    const { host, clock } = gateway;
    clock.stop();
    const account = await gateway.account();
    const id = (await account.create({ standby: 5 })).json.browserId;
    clock.advance(90_001);
    host.setStandby(id, { totalMs: 80_000 });
    await account.close(id);
    const [record] = (await account.get('/user/api/sessions')).json.sessions;
    expect(record).toMatchObject({ durationSeconds: 91, billedSeconds: 91, standbySeconds: 80 });
  });

  test('a browser that is lost while it sleeps is billed for what the store knows', async () => {
    await using gateway = await startGatewayOn(engine, { standbyPermille: 0 });
    const { host, clock } = gateway;
    clock.stop();
    const account = await gateway.account();
    const id = (await account.create({ standby: 5 })).json.browserId;
    const status = async () => (await account.get(`/api/browser/${id}/status`)).json;
    clock.advance(50_000);
    host.setStandby(id, { totalMs: 10_000, asleepForMs: 10_000 });
    await untilStandby(gateway, status, true);
    clock.advance(30_000);
    host.lose(id);
    await expect
      .poll(async () => {
        await gateway.running.leases.tick();
        return (await status()).status;
      })
      .toBe('DEAD');
    const [record] = (await account.get('/user/api/sessions')).json.sessions;
    expect(record).toMatchObject({ durationSeconds: 80, standbySeconds: 40, billedSeconds: 40 });
  });

  test('a session without standby shows nothing of it', async () => {
    await using gateway = await startGatewayOn(engine, { standbyPermille: 500 });
    const account = await gateway.account();
    const created = (await account.create()).json;
    expect(created).not.toHaveProperty('standby');
    const { json } = await account.get(`/api/browser/${created.browserId}/status`);
    for (const name of ['standby', 'standbySince']) expect(json).not.toHaveProperty(name);
    await account.close(created.browserId);
    const [record] = (await account.get('/user/api/sessions')).json.sessions;
    for (const name of ['standbySeconds', 'standbyFactor']) expect(record).not.toHaveProperty(name);
  });

  test('wake answers the session, waits where its host does, and is over with the session', async () => {
    await using gateway = await startGatewayOn(engine);
    const { host } = gateway;
    const account = await gateway.account();
    const id = (await account.create({ standby: 5 })).json.browserId;
    const wake = () => account.post(`/api/browser/${id}/wake`);
    expect(await wake()).toMatchObject({ status: 200, json: { browserId: id, standby: false } });
    host.onWake = () => false;
    const waits = await wake();
    expect(waits).toMatchObject({ status: 503, json: { code: 'CAPACITY' } });
    expect(waits.headers.get('retry-after')).toBe('2');
    const stranger = await gateway.account();
    expect((await stranger.post(`/api/browser/${id}/wake`)).status).toBe(404);
    await account.close(id);
    expect(await wake()).toMatchObject({ status: 410, json: { error: 'Session is CLOSED' } });
  });
});
