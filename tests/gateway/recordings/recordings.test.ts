import { readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { ClusterRecordingSink } from '@turnpike/cluster/recording-calls';
import type { RecordedEvent, RecordingChunk } from '@turnpike/contract/recording';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { readGatewayConfig } from '../../../apps/gateway/src/config.ts';
import { createPrivateSide } from '../../../apps/gateway/src/hosts/private-side.ts';
import { exportHar, exportLines } from '../../../apps/gateway/src/recordings/exports/export-recording.ts';
import type { RecordingParts } from '../../../apps/gateway/src/recordings/recording-context.ts';
import { findRow } from '../../../apps/gateway/src/recordings/recording-store.ts';
import { FileStorage } from '../../../apps/gateway/src/recordings/storage/file-storage.ts';
import type { RecordingStorage } from '../../../apps/gateway/src/recordings/storage/recording-storage.ts';
import { sweepRecordings } from '../../../apps/gateway/src/recordings/sweep-recordings.ts';
import { call, startGatewayOn, type TestAccount, type TestGateway } from '../../fixtures/gateway/gateway.ts';
import { freePort } from '../../fixtures/network/free-port.ts';
import { listen } from '../../fixtures/network/listen.ts';
import { scratchDirectory } from '../../fixtures/process/scratch-directory.ts';
import { type MadeUpChunk, madeUpChunk, madeUpPicture } from '../../fixtures/recordings/recording-chunks.ts';
import { sample } from '../../fixtures/service/metrics.ts';
import { watchLeaks } from '../../fixtures/suite/leaks.ts';
import { describeEach, quickOn } from '../../fixtures/suite/matrix.ts';

watchLeaks();

const signal = new AbortController().signal;
const dayMs = 86_400_000;
const limits = { sessionMaxBytes: 100_000, accountMaxBytes: 250_000, keepMs: 7 * dayMs };

describeEach(quickOn('postgres'))('recordings on %s', (engine) => {
  let directory: Awaited<ReturnType<typeof scratchDirectory>>;
  let gateway: TestGateway;
  let account: TestAccount;

  beforeAll(async () => {
    directory = await scratchDirectory('recordings');
    gateway = await startGatewayOn(engine, {
      recordings: { ...limits, location: { kind: 'file', directory: directory.path } },
    });
  });
  beforeEach(async () => {
    account = await gateway.account({ creates_per_minute: 1000, concurrent_limit: 100 });
  });
  afterAll(async () => {
    await gateway[Symbol.asyncDispose]();
    await directory[Symbol.asyncDispose]();
  });

  const open = async (by = account): Promise<string> => {
    const { status, json } = await by.create({ record: true });
    expect(status).toBe(200);
    return json.browserId;
  };
  const send = (chunk: RecordingChunk) => gateway.running.recordingSink.append(chunk, signal);
  const append = (id: string, index: number, made?: MadeUpChunk) => send(madeUpChunk(id, index, made));
  const read = (id: string, rest = '', by = account) => by.get(`/api/browser/${id}/recording${rest}`);
  const fetchOf = (id: string, rest: string, headers = {}) =>
    fetch(`${gateway.url}/api/browser/${id}/recording${rest}`, {
      headers: { 'x-api-key': account.key, ...headers },
    });
  const remove = (id: string, by = account) =>
    call(`${gateway.url}/api/browser/${id}/recording`, {
      method: 'DELETE',
      headers: { 'x-api-key': by.key },
    });
  const files = async (id: string) => (await readdir(join(directory.path, id)).catch(() => [])).toSorted();
  const parts = (storage?: RecordingStorage): RecordingParts => {
    const { recordingStorage = storage, ...rest } = gateway.running.gateway;
    if (!recordingStorage) throw new Error('no storage');
    return { ...rest, recordingStorage: storage ?? recordingStorage };
  };
  const sweep = (storage?: RecordingStorage) => sweepRecordings(parts(storage));
  const usage = async () => {
    const { db } = gateway.running.gateway;
    const row = await db
      .selectFrom('recording_usage')
      .select('bytes')
      .where('account_id', '=', account.id)
      .executeTakeFirst();
    return row?.bytes;
  };
  const rows = async (id: string) => {
    const { db } = gateway.running.gateway;
    const of = (table: 'recordings' | 'recording_chunks') =>
      db.selectFrom(table).select('session_id').where('session_id', '=', id).execute();
    return (await of('recordings')).length + (await of('recording_chunks')).length;
  };

  test('what a host sends is listed, described and read', async () => {
    const id = await open();
    expect((await read(id)).json).toMatchObject({ state: 'recording', events: 0, chunks: [] });
    const before = Date.now();
    const pictures = [madeUpPicture(300, 1), madeUpPicture(400, 2)];
    expect(await append(id, 0, { pictures, ageMs: 5000 })).toBe('stored');
    expect(await append(id, 1)).toBe('stored');
    const described = await read(id);
    expect(described.json).toMatchObject({
      sessionId: id,
      state: 'recording',
      endedAt: null,
      events: 4,
      pictures: 2,
      isFull: false,
      chunks: [
        { index: 0, events: 3, pictureTimes: [0, 100] },
        { index: 1, fromMs: 2000, pictureTimes: [] },
      ],
    });
    const startedAt = Date.parse(described.json.startedAt);
    expect(startedAt).toBeGreaterThanOrEqual(before - 5000);
    expect(startedAt).toBeLessThanOrEqual(Date.now() - 5000);
    expect((await read(id, '?after=0')).json.chunks).toMatchObject([{ index: 1 }]);
    expect((await read(id, '?after=1')).json.chunks).toEqual([]);

    const picture = await fetchOf(id, '/pictures/0/1');
    expect(picture.headers.get('content-type')).toBe('image/jpeg');
    expect(picture.headers.get('cache-control')).toBe('no-store');
    expect(Buffer.from(await picture.arrayBuffer())).toEqual(pictures[1]);
    expect((await read(id, '/pictures/0/2')).status).toBe(404);
    expect((await read(id, '/pictures/1/0')).status).toBe(404);
    expect((await read(id, '/pictures/9/0')).json.code).toBe('RECORDING_NOT_FOUND');

    const list = await account.get('/user/api/recordings');
    expect(list.json).toMatchObject({ recordings: [{ sessionId: id, events: 4 }], nextCursor: null });
    expect(list.json.recordings[0].bytes).toBe(await usage());
  });

  test('events are sent in order, gzipped or not, of all chunks or of some', async () => {
    const id = await open();
    for (const index of [0, 1, 2]) await append(id, index);
    const textOf = async (rest: string) => {
      const plain = await fetchOf(id, rest, { 'accept-encoding': 'identity' });
      expect(plain.headers.get('content-encoding')).toBeNull();
      expect(plain.headers.get('content-type')).toBe('application/x-ndjson');
      const zipped = await fetchOf(id, rest, { 'accept-encoding': 'gzip' });
      expect(zipped.headers.get('content-encoding')).toBe('gzip');
      const text = await plain.text();
      expect(await zipped.text()).toBe(text);
      return text;
    };
    const texts = (text: string) =>
      text
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line).text);
    expect(texts(await textOf('/events'))).toEqual(['chunk 0', 'chunk 1', 'chunk 2']);
    expect(texts(await textOf('/events?from=1'))).toEqual(['chunk 1', 'chunk 2']);
    expect(texts(await textOf('/events?from=1&to=1'))).toEqual(['chunk 1']);
    expect(await textOf('/events?from=7&to=7')).toBe('');
    expect((await read(id, '/events?from=-1')).status).toBe(400);
  });

  test('a recording is its account’s alone', async () => {
    const id = await open();
    await append(id, 0, { pictures: [madeUpPicture()] });
    const other = await gateway.account();
    for (const rest of ['', '/events', '/pictures/0/0', '/export?format=har']) {
      const answer = await read(id, rest, other);
      expect([answer.status, answer.json.code]).toEqual([404, 'RECORDING_NOT_FOUND']);
    }
    expect((await remove(id, other)).status).toBe(404);
    expect((await other.post(`/api/browser/${id}/recording/share`, { hours: 1 })).status).toBe(404);
    expect((await other.get('/user/api/recordings')).json.recordings).toEqual([]);
    expect((await read(id, '/events')).status).toBe(200);
  });

  test('the CDP id finds it too, and a session that is not recorded has none', async () => {
    const { json } = await account.create({ record: true });
    const cdpId = new URL(json.cdpUrl).pathname.split('/').at(-1) ?? '';
    expect((await read(cdpId)).json.sessionId).toBe(json.browserId);
    const plain = await account.create({});
    expect((await read(plain.json.browserId)).status).toBe(404);
    expect(await append(plain.json.browserId, 0)).toBe('unknown');
    expect(await append('br_000000000000000000000000', 0)).toBe('unknown');
  });

  test('a chunk that comes again changes nothing, at once or later', async () => {
    const id = await open();
    const chunk = madeUpChunk(id, 0, { pictures: [madeUpPicture()] });
    expect(await Promise.all(Array.from({ length: 8 }, () => send(chunk)))).toEqual(Array(8).fill('stored'));
    const described = (await read(id)).json;
    expect(described).toMatchObject({ events: 2, pictures: 1, chunks: [{ index: 0 }] });
    await append(id, 1);
    expect(await send({ ...chunk, summary: { ...chunk.summary, events: 99 } })).toBe('stored');
    expect((await read(id)).json).toMatchObject({ events: 3, pictures: 1 });
    expect(await usage()).toBe((await read(id)).json.bytes);
  });

  test('a chunk before its turn, or of a session that is starting, is to be repeated', async () => {
    const id = await open();
    await expect(append(id, 1)).rejects.toThrow('Chunk 0');
    const starting = Promise.withResolvers<string>();
    const release = Promise.withResolvers<void>();
    gateway.host.onOpen = async ({ sessionId }) => {
      starting.resolve(sessionId);
      await release.promise;
    };
    const created = account.create({ record: true });
    const early = await starting.promise;
    await expect(append(early, 0)).rejects.toThrow('still starting');
    release.resolve();
    gateway.host.onOpen = async () => {};
    await created;
    expect(await append(early, 0)).toBe('stored');
  });

  test('a chunk that no host would send is refused before it takes room', async () => {
    const id = await open();
    const chunk = madeUpChunk(id, 0);
    await expect(send({ ...chunk, events: Buffer.alloc(2 ** 20 + 1) })).rejects.toThrow('over');
    await expect(send({ ...chunk, pictures: [madeUpPicture()] })).rejects.toThrow('differ');
    await expect(append(id, 0, { pictures: [madeUpPicture(2 ** 19 + 1)] })).rejects.toThrow('over');
    await expect(append(id, 0, { pictures: Array(9).fill(madeUpPicture()) })).rejects.toThrow('over 8');
    await expect(append(id, -1)).rejects.toThrow('number');
    expect(await files(id)).toEqual([]);
  });

  test('what is stored is encrypted, for its session, kind and number only, and private', async () => {
    const id = await open();
    const secret = 'a-secret-in-the-page';
    const say = (text: string): RecordedEvent[] => [{ t: 0, kind: 'console', level: 'log', text }];
    await append(id, 0, { events: say(secret), pictures: [madeUpPicture()] });
    await append(id, 1, { events: say('another') });
    expect(await files(id)).toEqual(['0.events', '0.pictures', '1.events']);
    for (const name of await files(id)) {
      const file = join(directory.path, id, name);
      const bytes = await readFile(file);
      expect(bytes.subarray(0, 4).toString()).toBe('TPS2');
      expect(bytes.includes(secret)).toBe(false);
      expect(bytes.includes(madeUpPicture().subarray(0, 16))).toBe(false);
      expect((await stat(file)).mode & 0o777).toBe(0o600);
    }
    // Moved to another number, it does not open.
    const storage = new FileStorage(directory.path);
    const first = await storage.get(`${id}/0.events`, signal);
    await storage.put(`${id}/1.events`, first ?? Buffer.alloc(0), signal);
    const moved = await read(id, '/events?from=1&to=1');
    expect([moved.status, moved.text.includes(secret)]).toEqual([503, false]);
    expect((await read(id, '/events?from=0&to=0')).text).toContain(secret);
  });

  test('after a crash between the objects and the row the repeated chunk is stored', async () => {
    const id = await open();
    await append(id, 0);
    // What a crash leaves: objects of chunk 1, another half written one, and no row.
    const storage = new FileStorage(directory.path);
    await storage.put(`${id}/1.events`, Buffer.from('half'), signal);
    await storage.put(`${id}/1.pictures`, Buffer.from('half'), signal);
    expect((await read(id)).json.chunks).toHaveLength(1);
    expect((await read(id, '/events')).status).toBe(200);
    expect(await append(id, 1)).toBe('stored');
    expect((await read(id, '/events?from=1')).text).toContain('chunk 1');
    // Its host never sent pictures again: the object goes with the recording.
    await remove(id);
    expect(await files(id)).toEqual([]);
  });

  test('a storage that fails makes the host repeat, and readers 503', async () => {
    const id = await open();
    const failures = () =>
      sample(gateway.observation, 'turnpike_gateway_items_failed_total{kind="recording_chunk"}');
    const before = (await failures()) ?? 0;
    // A file in place of its directory.
    await writeFile(join(directory.path, id), '');
    await expect(append(id, 0)).rejects.toThrow('EEXIST');
    expect(await failures()).toBe(before + 1);
    await rm(join(directory.path, id));
    expect(await append(id, 0)).toBe('stored');
    const file = join(directory.path, id, '0.events');
    await rename(file, `${file}.away`);
    const gone = await read(id, '/events');
    expect([gone.status, gone.headers.get('retry-after')]).toEqual([503, '2']);
    expect((await read(id, '/export?format=har')).status).toBe(503);
    await rename(`${file}.away`, file);
    expect((await read(id, '/events')).status).toBe(200);
  });

  test('a full recording loses its oldest pictures first, then takes no more', async () => {
    const id = await open();
    const picture = () => [madeUpPicture(9000)];
    for (let index = 0; index < 40; index++)
      expect(await append(id, index, { pictures: picture() })).toBe('stored');
    const { json } = await read(id);
    expect(json.bytes).toBeLessThanOrEqual(limits.sessionMaxBytes);
    expect(json).toMatchObject({ events: 80, isFull: false });
    const kept = json.chunks
      .filter(({ pictureTimes }: { pictureTimes: number[] }) => pictureTimes.length > 0)
      .map(({ index }: { index: number }) => index);
    expect(json.pictures).toBe(kept.length);
    expect(kept.length).toBeGreaterThan(4);
    // The newest are all there, the oldest are the fewest.
    expect(kept).toContain(39);
    const older = kept.filter((index: number) => index < 20).length;
    expect(older).toBeLessThan(kept.length - older);
    expect(json.bytes).toBe(await usage());
    const stored = (await files(id)).filter((name) => name.endsWith('.pictures'));
    expect(stored).toHaveLength(kept.length);
    expect((await read(id, '/pictures/0/0')).status).toBe(404);

    // Noise does not compress: events alone fill it, and take the place of all pictures.
    const noise = (index: number): RecordedEvent[] => [
      { t: index * 2000, kind: 'console', level: 'log', text: randomText(30_000) },
    ];
    const results: string[] = [];
    for (let index = 40; index < 50 && results.at(-1) !== 'full'; index++)
      results.push(await append(id, index, { events: noise(index), pictures: picture() }));
    expect(results.at(-1)).toBe('full');
    expect(results.length).toBeGreaterThan(2);
    const full = (await read(id)).json;
    expect(full).toMatchObject({ isFull: true, pictures: 0 });
    expect(full.bytes).toBeLessThanOrEqual(limits.sessionMaxBytes);
    expect(full.chunks).toHaveLength(40 + results.length - 1);
    expect(await append(id, full.chunks.length)).toBe('full');
    expect(await append(id, 3)).toBe('stored');
  });

  test('an account’s recordings share its room: the oldest pictures make place for new ones', async () => {
    const ids = [await open(), await open(), await open(), await open()];
    const [oldest = '', second = ''] = ids;
    for (const id of ids) {
      gateway.clock.advance(1000);
      for (let index = 0; index < 9; index++)
        expect(await append(id, index, { pictures: [madeUpPicture(9000)] })).toBe('stored');
    }
    expect(await usage()).toBeLessThanOrEqual(limits.accountMaxBytes);
    const pictures = async (id: string) => (await read(id)).json.pictures;
    expect(await pictures(oldest)).toBe(0);
    expect(await pictures(ids[3] ?? '')).toBe(9);
    expect(await pictures(second)).toBeLessThanOrEqual(9);
    expect((await read(oldest)).json.events).toBe(18);
    // Room that is free again can be used again.
    await remove(second);
    const sum = (await account.get('/user/api/recordings')).json.recordings.reduce(
      (bytes: number, recording: { bytes: number }) => bytes + recording.bytes,
      0,
    );
    expect(await usage()).toBe(sum);
  });

  test('appends of many sessions at once never take more than the account’s room', async () => {
    const ids = await Promise.all(Array.from({ length: 12 }, () => open()));
    for (let index = 0; index < 4; index++)
      await Promise.all(
        ids.map((id) => append(id, index, { pictures: [madeUpPicture(8000), madeUpPicture(8000)] })),
      );
    const { recordings } = (await account.get('/user/api/recordings')).json;
    const sum = recordings.reduce((bytes: number, one: { bytes: number }) => bytes + one.bytes, 0);
    expect(sum).toBeLessThanOrEqual(limits.accountMaxBytes);
    expect(await usage()).toBe(sum);
    expect(recordings.every(({ events }: { events: number }) => events === 12)).toBe(true);
  });

  test('exports have all of it: a HAR of the requests, and all events with their pictures', async () => {
    const id = await open();
    const picture = madeUpPicture(300, 5);
    const events: RecordedEvent[] = [
      {
        t: 5,
        tab: 1,
        kind: 'request',
        id: 'r1',
        method: 'GET',
        url: 'https://site.test/',
        type: 'Document',
        initiator: 'other',
        headers: {},
        isRedirect: false,
      },
      { t: 90, tab: 1, kind: 'request.failed', id: 'r1', error: 'net::ERR_FAILED', isCanceled: false },
    ];
    await append(id, 0, { events, pictures: [picture] });
    await append(id, 1);
    const har = await fetchOf(id, '/export?format=har');
    expect(har.headers.get('content-disposition')).toBe(`attachment; filename="${id}.har"`);
    const { log } = (await har.json()) as { log: { entries: object[] } };
    const { startedAt } = (await read(id)).json;
    expect(log.entries).toMatchObject([
      {
        startedDateTime: new Date(Date.parse(startedAt) + 5).toISOString(),
        request: { url: 'https://site.test/' },
        _error: 'net::ERR_FAILED',
      },
    ]);
    const lines = (await (await fetchOf(id, '/export?format=ndjson')).text()).trim().split('\n');
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      ...events,
      { kind: 'picture', chunk: 0, picture: 0, jpeg: picture.toString('base64') },
      { kind: 'console', text: 'chunk 1' },
    ]);
    for (const wrong of ['', '?format=', '?format=gif'])
      expect((await read(id, `/export${wrong}`)).status).toBe(400);
    const none = await open();
    expect((await read(none, '/export?format=webm')).json.code).toBe('NO_PICTURES');
    expect((await (await fetchOf(none, '/export?format=har')).json()) as object).toMatchObject({
      log: { entries: [], pages: [] },
    });
  });

  test('an export reads one chunk after the other, as its client reads it', async () => {
    const id = await open();
    for (let index = 0; index < 20; index++) await append(id, index);
    const context = parts();
    const row = await findRow(context.db, id);
    let reads = 0;
    const counting: RecordingStorage = {
      put: async () => {},
      delete: async () => {},
      deleteSession: async () => {},
      close: () => {},
      get: (key, until) => {
        reads += 1;
        return context.recordingStorage.get(key, until);
      },
    };
    if (!row) throw new Error('no row');
    for (const write of [exportLines, exportHar]) {
      reads = 0;
      const exported = write({ ...context, recordingStorage: counting }, row, signal);
      await exported.next();
      expect(reads).toBe(1);
      await exported.return(undefined);
    }
  });

  test('hosts on other machines send their chunks to any gateway', async () => {
    const settings = { secret: 'a secret of gateways and hosts', tls: undefined };
    const id = await open();
    const pictures = [madeUpPicture(20_000, 3), madeUpPicture(10, 4), madeUpPicture(20_000, 5)];
    const large = madeUpChunk(id, 0, { pictures });
    const side = createPrivateSide(gateway.running.gateway, settings);
    await side.listen(0, '127.0.0.1');
    const gatewayUrls = [`http://127.0.0.1:${await freePort()}`, `http://127.0.0.1:${side.port}`];
    using sink = new ClusterRecordingSink({ ...settings, gatewayUrls });
    using stranger = new ClusterRecordingSink({ ...settings, secret: 'another', gatewayUrls });
    try {
      expect(await sink.append(large, signal)).toBe('stored');
      expect(await sink.append(large, signal)).toBe('stored');
      expect((await read(id)).json).toMatchObject({ events: 4, pictures: 3, chunks: [{ index: 0 }] });
      const picture = await fetchOf(id, '/pictures/0/2');
      expect(Buffer.from(await picture.arrayBuffer())).toEqual(large.pictures[2]);
      await expect(sink.append(madeUpChunk(id, 5), signal)).rejects.toThrow('Chunk 1 must come first');
      expect(await sink.append(madeUpChunk('br_000000000000000000000000', 0), signal)).toBe('unknown');
      await expect(stranger.append(madeUpChunk(id, 1), signal)).rejects.toThrow();
      await expect(sink.append(madeUpChunk(id, 1), AbortSignal.abort())).rejects.toThrow();
      expect((await read(id)).json.chunks).toHaveLength(1);
    } finally {
      await side.close(0);
    }
  });

  test('a gateway that does not answer holds up one call, not the recording', async () => {
    const settings = { secret: 'a secret of gateways and hosts', tls: undefined };
    const id = await open();
    const silent = createServer((socket) => void socket.on('error', () => {}).resume());
    await listen(silent);
    const side = createPrivateSide(gateway.running.gateway, settings);
    await side.listen(0, '127.0.0.1');
    const ports = [(silent.address() as AddressInfo).port, side.port];
    using sink = new ClusterRecordingSink({
      ...settings,
      gatewayUrls: ports.map((port) => `http://127.0.0.1:${port}`),
    });
    try {
      await expect(sink.append(madeUpChunk(id, 0), AbortSignal.timeout(200))).rejects.toThrow();
      expect(await sink.append(madeUpChunk(id, 0), AbortSignal.timeout(15_000))).toBe('stored');
    } finally {
      await side.close(0);
      await new Promise((resolve) => silent.close(resolve));
    }
  });

  const readyEvents = async (id: string) => {
    const { db } = gateway.running.gateway;
    const events = await db
      .selectFrom('events')
      .select(['type', 'data'])
      .where('session_id', '=', id)
      .where('type', '=', 'recording.ready')
      .execute();
    return events.map(({ data }) => JSON.parse(data));
  };

  test('the last chunk makes it ready and tells the account, once', async () => {
    const id = await open();
    await append(id, 0);
    await account.close(id);
    expect((await read(id)).json).toMatchObject({ state: 'recording', endedAt: expect.any(String) });
    const last = madeUpChunk(id, 1, { isLast: true });
    await Promise.all([send(last), send(last), send(last)]);
    const { json } = await read(id);
    expect(json.state).toBe('ready');
    expect(Date.parse(json.expiresAt) - Date.parse(json.endedAt)).toBe(limits.keepMs);
    const { chunks: _, ...summary } = json;
    expect(await readyEvents(id)).toEqual([{ browserId: id, ...summary }]);
    expect(await append(id, 2)).toBe('full');
    await sweep();
    expect(await readyEvents(id)).toHaveLength(1);
  });

  test('sessions end and last chunks come at the same moment without a deadlock', async () => {
    const ids = await Promise.all(Array.from({ length: 10 }, () => open()));
    const results = await Promise.all(
      ids.flatMap((id) => [account.close(id).then(({ status }) => status), append(id, 0, { isLast: true })]),
    );
    expect(new Set(results)).toEqual(new Set([200, 'stored']));
    for (const id of ids) {
      expect((await read(id)).json.state).toBe('ready');
      expect(await readyEvents(id)).toHaveLength(1);
    }
  });

  test('a chunk is taken for eleven minutes after the session, and then the recording says what is missing', async () => {
    const id = await open();
    await append(id, 0);
    await sweep();
    expect((await read(id)).json.state).toBe('recording');
    gateway.clock.advance(26_000);
    await account.close(id);
    gateway.clock.advance(5 * 60_000);
    await sweep();
    expect(await append(id, 1)).toBe('stored');
    gateway.clock.advance(6 * 60_000 + 1000);
    // None is taken, but one that was taken before may still be being stored.
    expect(await append(id, 2)).toBe('full');
    await sweep();
    expect((await read(id)).json).toMatchObject({ state: 'recording', missingMs: 0 });
    gateway.clock.advance(30_000);
    await Promise.all([sweep(), sweep(), sweep()]);
    const { json } = await read(id);
    expect(json).toMatchObject({ state: 'ready', isFull: false });
    // The session ran for 28 seconds, and two are stored.
    expect(json.missingMs).toBeGreaterThanOrEqual(26_000);
    expect(json.chunks).toHaveLength(3);
    const lines = (await (await fetchOf(id, '/events?from=2')).text()).trim().split('\n');
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { t: 2000, kind: 'dropped', what: 'milliseconds', count: json.missingMs },
      { kind: 'end', reason: 'client_close' },
    ]);
    expect(await readyEvents(id)).toMatchObject([{ missingMs: json.missingMs }]);
    expect(await append(id, 3, { isLast: true })).toBe('full');
  });

  test('while the storage is away a recording stays unfinished, and is ended when it is back', async () => {
    const id = await open();
    await append(id, 0);
    await account.close(id);
    gateway.clock.advance(12 * 60_000);
    const away: RecordingStorage = {
      get: async () => undefined,
      delete: async () => {},
      deleteSession: async () => {},
      close: () => {},
      put: async () => {
        throw new Error('the storage is away');
      },
    };
    await sweep(away);
    expect((await read(id)).json.state).toBe('recording');
    await sweep();
    expect((await read(id)).json.state).toBe('ready');
    expect(await readyEvents(id)).toHaveLength(1);
  });

  test('a recording of a host that is lost is ended after a minute and a half', async () => {
    const id = await open();
    await append(id, 0);
    await account.close(id);
    const { db } = gateway.running.gateway;
    await db.updateTable('sessions').set({ end_reason: 'host_lost' }).where('id', '=', id).execute();
    gateway.clock.advance(30_000); // The clock goes on meanwhile.
    await sweep();
    expect((await read(id)).json.state).toBe('recording');
    gateway.clock.advance(61_000);
    await sweep();
    expect((await read(id)).json.state).toBe('ready');
  });

  test('an expired recording is deleted, rows and objects, whatever crashes in between', async () => {
    const id = await open();
    await append(id, 0, { pictures: [madeUpPicture()] });
    await account.close(id);
    await append(id, 1, { isLast: true });
    gateway.clock.advance(limits.keepMs - 60_000);
    await sweep();
    expect(await files(id)).not.toEqual([]);
    gateway.clock.advance(61_000);
    const broken: RecordingStorage = {
      put: async () => {},
      get: async () => undefined,
      delete: async () => {},
      close: () => {},
      deleteSession: async () => {
        throw new Error('the storage is gone');
      },
    };
    await sweep(broken);
    // Gone for its account, and no longer counted, but still in the storage.
    expect((await read(id)).status).toBe(404);
    expect(await usage()).toBe(0);
    expect(await files(id)).not.toEqual([]);
    gateway.clock.advance(61_000);
    await sweep(broken);
    expect(await rows(id)).toBeGreaterThan(0);
    await sweep();
    expect(await files(id)).toEqual([]);
    expect(await rows(id)).toBe(0);
    await sweep();
  });

  test('a recording can be deleted while it is made, and an append in progress leaves nothing behind', async () => {
    const id = await open();
    await append(id, 0);
    expect((await remove(id)).json).toEqual({ sessionId: id });
    expect((await remove(id)).status).toBe(404);
    expect(await append(id, 1)).toBe('unknown');
    expect(await usage()).toBe(0);
    // An append that had checked the row before the deletion, and writes its object after.
    await new FileStorage(directory.path).put(`${id}/1.events`, Buffer.from('late'), signal);
    await sweep();
    expect(await rows(id)).toBeGreaterThan(0);
    gateway.clock.advance(61_000);
    await sweep();
    expect(await files(id)).toEqual([]);
    expect(await rows(id)).toBe(0);
    expect(await append(id, 1)).toBe('unknown');
    expect((await account.close(id)).status).toBe(200);
  });

  test('lists are paged, newest first', async () => {
    const ids: string[] = [];
    for (let i = 0; i < 5; i++) {
      gateway.clock.advance(1000);
      ids.unshift(await open());
    }
    const seen: string[] = [];
    let cursor = '';
    do {
      const { json } = await account.get(`/user/api/recordings?limit=2${cursor && `&cursor=${cursor}`}`);
      seen.push(...json.recordings.map(({ sessionId }: { sessionId: string }) => sessionId));
      cursor = json.nextCursor ?? '';
    } while (cursor !== '');
    expect(seen).toEqual(ids);
    expect((await account.get('/user/api/recordings?limit=0')).status).toBe(400);
  });

  test('a share link reads this recording only, and only until it expires', async () => {
    const [id, other] = [await open(), await open()];
    await append(id, 0, { pictures: [madeUpPicture()] });
    await append(other, 0);
    const { json } = await account.post(`/api/browser/${id}/recording/share`, { hours: 2 });
    expect(json.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/shared-recording#token=/);
    const token = new URL(json.url).hash.slice('#token='.length);
    const shared = (rest: string, sent = token) =>
      call(`${gateway.url}/dashboard/api/shared-recording${rest}`, {
        headers: { 'x-recording-token': sent },
      });
    expect((await shared('')).json).toMatchObject({ sessionId: id, chunks: [{ index: 0 }] });
    expect((await shared('/events?from=0&to=0')).text).toContain('chunk 0');
    expect((await shared('/pictures/0/0')).status).toBe(200);
    for (const forged of ['', 'x', token.replace(id, other), `${token}0`, token.replace(/.$/, 'g')])
      expect((await shared('', forged)).status).toBe(410);
    for (const hours of [0, 721, 1.5, '1'])
      expect((await account.post(`/api/browser/${id}/recording/share`, { hours })).status).toBe(400);
    gateway.clock.advance(2 * 3_600_000 + 1);
    expect((await shared('')).status).toBe(410);
  });
});

function randomText(length: number): string {
  return Array.from({ length: Math.ceil(length / 10) }, () => Math.random().toString(36).slice(2, 12)).join(
    '',
  );
}

test('without a place for recordings a create with record=true is 400 and says what to set', async () => {
  await using gateway = await startGatewayOn('sqlite');
  const account = await gateway.account();
  for (const answer of [await account.create({ record: true }), await account.connect({ record: 'true' })]) {
    expect(answer.status).toBe(400);
    expect(answer.text).toContain('TURNPIKE_RECORDINGS_URL');
  }
  expect((await account.create({})).status).toBe(200);
  expect((await account.get('/user/api/recordings')).json).toEqual({ recordings: [], nextCursor: null });
});

test('settings name a directory or a bucket', () => {
  const key = { TURNPIKE_SECRET_KEY: '0'.repeat(64) };
  const locationOf = (url: string, env = {}) =>
    readGatewayConfig({ ...key, TURNPIKE_RECORDINGS_URL: url, ...env }).recordings?.location;
  expect(locationOf('')).toBeUndefined();
  expect(readGatewayConfig(key, '/data/recordings').recordings?.location).toEqual({
    kind: 'file',
    directory: '/data/recordings',
  });
  expect(locationOf('file:/var/lib/a%20b')).toEqual({ kind: 'file', directory: '/var/lib/a b' });
  expect(locationOf('s3://bucket')).toMatchObject({ bucket: 'bucket', prefix: '', endpoint: undefined });
  expect(locationOf('s3://bucket/a/b/', { AWS_ENDPOINT_URL: 'http://minio:9000' })).toEqual({
    kind: 's3',
    bucket: 'bucket',
    prefix: 'a/b/',
    endpoint: 'http://minio:9000',
    region: 'us-east-1',
  });
  for (const wrong of ['/var/lib', 'http://bucket', 'file://host/dir', 'file:/', 's3:///prefix'])
    expect(() => locationOf(wrong)).toThrow('TURNPIKE_RECORDINGS_URL');
});
