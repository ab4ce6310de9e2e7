import { afterAll, beforeAll, expect, test } from 'vitest';
import { shareToken } from '../../apps/gateway/src/recordings/share-link.ts';
import { testSealer } from '../fixtures/gateway/gateway.ts';
import { type ScratchDirectory, scratchDirectory } from '../fixtures/process/scratch-directory.ts';
import { makeUpRecording } from '../fixtures/recordings/made-up-recording.ts';
import { keptIn, storeRecording } from '../fixtures/recordings/stored-recordings.ts';
import { watchLeaks } from '../fixtures/suite/leaks.ts';
import { describeEach, quickOn } from '../fixtures/suite/matrix.ts';
import { type DashboardHarness, startDashboardHarness } from './harness.ts';
import type { Visitor } from './visitor.ts';

watchLeaks();

const holder = (name: string): string => name.repeat(16);

describeEach(quickOn('postgres'))('recordings and clients in the dashboard on %s', (engine) => {
  let directory: ScratchDirectory;
  let harness: DashboardHarness;

  beforeAll(async () => {
    directory = await scratchDirectory('recording-pages');
    harness = await startDashboardHarness(engine, { recordings: keptIn(directory.path) });
  });
  afterAll(async () => {
    await harness[Symbol.asyncDispose]();
    await directory[Symbol.asyncDispose]();
  });

  const begin = async () => {
    const { account, visitor } = await harness.accountPerson();
    const id = (await account.create({ record: true })).json.browserId as string;
    const made = makeUpRecording({ sessionId: id, minutes: 2, pictures: [Buffer.from('a JPEG')] });
    await storeRecording(harness.gateway, made);
    const path = `/api/browser/${id}`;
    return { account, visitor, id, path };
  };

  test('a recording is read by parts, by its account alone', async () => {
    const { visitor, id, path } = await begin();
    const { json: index } = await visitor.get(`${path}/recording`);
    expect(index.chunks.length).toBeGreaterThan(20);
    const after = (await visitor.get(`${path}/recording?after=${index.chunks.at(-3).index}`)).json;
    expect(after.chunks).toEqual(index.chunks.slice(-2));
    const events = await visitor.get(`${path}/recording/events?from=0&to=3`);
    expect(events.headers.get('content-type')).toContain('application/x-ndjson');
    const lines = events.text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines[0]).toMatchObject({ t: 0, kind: 'start' });
    const picture = await visitor.get(`${path}/recording/pictures/0/0`);
    expect([picture.text, picture.headers.get('content-type')]).toEqual(['a JPEG', 'image/jpeg']);
    expect(picture.headers.get('cache-control')).toBe('no-store');
    const har = await visitor.get(`${path}/recording/export?format=har`);
    expect(har.headers.get('content-disposition')).toMatch(/^attachment; filename="br_.*\.har"$/);

    for (const wrong of ['events?from=one', 'pictures/0/one', 'export?format=gif'])
      expect((await visitor.get(`${path}/recording/${wrong}`)).status, wrong).toBe(400);
    expect((await visitor.get(`${path}/recording/pictures/0/99`)).status).toBe(404);
    const { visitor: other } = await harness.accountPerson();
    const { visitor: operator } = await harness.operatorPerson();
    for (const route of ['', '/events?from=0&to=1', '/pictures/0/0', '/export?format=har']) {
      expect(await other.get(`${path}/recording${route}`), route).toMatchObject({
        status: 404,
        json: { code: 'RECORDING_NOT_FOUND' },
      });
      expect((await operator.get(`${path}/recording${route}`)).status, route).toBe(403);
    }
    expect((await other.delete(`${path}/recording`)).status).toBe(404);
    expect((await other.post(`${path}/recording/share`, { hours: 1 })).status).toBe(404);

    expect((await visitor.delete(`${path}/recording`)).json).toEqual({ sessionId: id });
    expect((await visitor.get(`${path}/recording`)).status).toBe(404);
  });

  test('a share link reads one recording without signing in, until it expires', async () => {
    const { visitor, id, path } = await begin();
    expect((await visitor.post(`${path}/recording/share`, { hours: 0 })).status).toBe(400);
    const { json } = await visitor.post(`${path}/recording/share`, { hours: 24 });
    const token = new URL(json.url).hash.replace('#token=', '');
    const stranger = harness.visitor();
    const read = (route: string, given = token) =>
      stranger.get(`/dashboard/api/shared-recording${route}`, { 'x-recording-token': given });
    expect((await read('')).json).toMatchObject({ sessionId: id });
    expect((await read('/events?from=0&to=1')).text).toContain('"kind":"start"');
    expect((await read('/pictures/0/0')).text).toBe('a JPEG');
    expect((await stranger.get(`${path}/recording`)).status).toBe(401);
    expect((await read('', 'another')).status).toBe(410);
    const expired = shareToken(testSealer, id, harness.gateway.clock.now() - 1);
    expect(await read('', expired)).toMatchObject({
      status: 410,
      json: { error: expect.stringMatching(/has expired/) },
    });
  });

  test('one person at a time pauses the clients, and the audit log tells who', async () => {
    const { visitor, id } = await begin();
    const path = `/dashboard/api/sessions/${id}`;
    const pause = (by: Visitor, name: string) => by.post(`${path}/clients/pause`, { holder: holder(name) });
    const resume = (name: string) => visitor.post(`${path}/clients/resume`, { holder: holder(name) });
    const idle = { connected: 1, pausedBy: null, isYours: false, endsInSeconds: null };
    expect((await visitor.get(`${path}/clients`)).json).toEqual(idle);
    const answers = await Promise.all(['a', 'b', 'c'].map((name) => pause(visitor, name)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
    const winner = ['a', 'b', 'c'][answers.findIndex(({ status }) => status === 200)] ?? '';
    const loser = winner === 'a' ? 'b' : 'a';
    const mine = (await visitor.get(`${path}/clients?holder=${holder(winner)}`)).json;
    expect(mine).toMatchObject({ isYours: true, pausedBy: expect.stringContaining('@') });
    expect(mine.endsInSeconds).toBeGreaterThan(590);
    expect((await visitor.post(`${path}/clients/renew`, { holder: holder(winner) })).json.isYours).toBe(true);
    expect((await resume(loser)).json.pausedBy).toBe(mine.pausedBy);
    expect((await resume(winner)).json).toEqual(idle);
    expect((await visitor.post(`${path}/clients/renew`, { holder: holder(winner) })).json).toEqual(idle);
    expect((await pause(visitor, loser)).status).toBe(200);

    const { visitor: operator } = await harness.operatorPerson();
    const { entries } = (await operator.get(`/dashboard/api/operator/audit?text=${id}`)).json;
    expect(entries.map(({ action }: { action: string }) => action)).toEqual([
      ...['session.pause', 'session.resume', 'session.pause'],
    ]);
    expect(entries[0].actor).toBe(mine.pausedBy);

    const { visitor: other } = await harness.accountPerson();
    expect((await pause(other, 'd')).status).toBe(404);
    expect((await visitor.post(`${path}/clients/pause`, { holder: 'short' })).status).toBe(400);
    await visitor.post('/api/browser/close', { browserId: id });
    expect(await pause(visitor, 'e')).toMatchObject({ status: 410, json: { error: 'Session is CLOSED' } });
    expect((await visitor.get(`${path}/clients`)).status).toBe(410);
  });
});
