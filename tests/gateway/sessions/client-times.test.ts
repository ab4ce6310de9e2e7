import { expect, test } from 'vitest';
import { startDashboardHarness } from '../../dashboard/harness.ts';
import { watchLeaks } from '../../fixtures/suite/leaks.ts';
import { describeEach, quickOn } from '../../fixtures/suite/matrix.ts';

watchLeaks();

describeEach(quickOn('postgres'))("the times of a session's clients on %s", (engine) => {
  test('come with heartbeats: the first connection, and the last disconnection while none is connected', async () => {
    await using harness = await startDashboardHarness(engine);
    const { account, visitor } = await harness.accountPerson();
    const { host, running, clock } = harness.gateway;
    const id = (await account.create()).json.browserId;
    const times = async () => {
      await running.leases.tick();
      const { connectedAt, disconnectedAt } = (await visitor.get(`/dashboard/api/sessions/${id}`)).json;
      return [connectedAt, disconnectedAt].map((time) => (time ? Date.parse(time) : null));
    };
    expect(await times()).toEqual([null, null]);
    clock.advance(60_000);
    const before = clock.now();
    host.setClients(id, { connectedAgoMs: 2000 });
    const reported = expect.poll(times);
    await reported.toEqual([expect.any(Number), null]);
    const [connected] = await times();
    expect(connected).toBeGreaterThanOrEqual(before - 2000);
    expect(connected).toBeLessThanOrEqual(clock.now() - 2000);

    // Later reports of the same connection change nothing, and a reconnection takes the disconnection away.
    host.setClients(id, { connectedAgoMs: 9000, disconnectedAgoMs: 500 });
    await expect.poll(times).toEqual([connected, expect.any(Number)]);
    host.setClients(id, { connectedAgoMs: 12_000 });
    await expect.poll(times).toEqual([connected, null]);
  });

  test('come with the end of a session that no heartbeat has seen, and no client came before it', async () => {
    await using harness = await startDashboardHarness(engine);
    const { account, visitor } = await harness.accountPerson();
    const { host, clock } = harness.gateway;
    const id = (await account.create()).json.browserId;
    clock.advance(10_000);
    host.setClients(id, { connectedAgoMs: 60_000, disconnectedAgoMs: 4000 });
    await account.close(id);
    const detail = (await visitor.get(`/dashboard/api/sessions/${id}`)).json;
    expect(detail.connectedAt).toBe(detail.createdAt);
    expect(Date.parse(detail.endedAt) - Date.parse(detail.disconnectedAt)).toBe(4000);
  });

  test('stay as they are when the session ends without a word on clients', async () => {
    await using harness = await startDashboardHarness(engine);
    const { account, visitor } = await harness.accountPerson();
    const { host, running } = harness.gateway;
    const id = (await account.create()).json.browserId;
    host.setClients(id, { connectedAgoMs: 0 });
    const detail = async () => (await visitor.get(`/dashboard/api/sessions/${id}`)).json;
    await expect
      .poll(async () => {
        await running.leases.tick();
        return (await detail()).connectedAt;
      })
      .toEqual(expect.any(String));
    host.setClients(id, {});
    await account.close(id);
    expect(await detail()).toMatchObject({ status: 'CLOSED', connectedAt: expect.any(String) });
  });
});
