import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { closedMs } from '../../../apps/gateway/src/recordings/last-chunk.ts';
import { sweepRecordings } from '../../../apps/gateway/src/recordings/sweep-recordings.ts';
import { openStream } from '../../fixtures/gateway/event-reader.ts';
import {
  startTestGateway,
  type TestAccount,
  type TestGateway,
  testStore,
} from '../../fixtures/gateway/gateway.ts';
import { scratchDirectory } from '../../fixtures/process/scratch-directory.ts';
import { WebhookReceiver } from '../../fixtures/receivers/webhook-receiver.ts';
import { madeUpChunk } from '../../fixtures/recordings/recording-chunks.ts';
import { watchLeaks } from '../../fixtures/suite/leaks.ts';
import { describeEach, quickOn } from '../../fixtures/suite/matrix.ts';

watchLeaks({ wholeFile: true });

const { signal } = new AbortController();

describeEach(quickOn('sqlite'))('the event of a recording on %s', (engine) => {
  const all = new AsyncDisposableStack();
  let gateway: TestGateway;
  let account: TestAccount;

  beforeAll(async () => {
    const store = all.use(await testStore(engine));
    const directory = all.use(await scratchDirectory('recordings'));
    const recordings = {
      sessionMaxBytes: 10 ** 6,
      accountMaxBytes: 10 ** 7,
      keepMs: 86_400_000,
      location: { kind: 'file', directory: directory.path },
    } as const;
    gateway = all.use(await startTestGateway(store.location, { webhookAllow: '127.0.0.0/8', recordings }));
  });
  beforeEach(async () => {
    account = await gateway.account();
  });
  afterAll(() => all.disposeAsync());

  const record = async (isLast: boolean): Promise<string> => {
    const id: string = (await account.create({ record: true })).json.browserId;
    await account.close(id);
    await gateway.running.recordingSink.append(madeUpChunk(id, 0, { isLast }), signal);
    return id;
  };
  const summaryOf = async (id: string) => {
    const { chunks: _, ...summary } = (await account.get(`/api/browser/${id}/recording`)).json;
    return { browserId: id, ...summary };
  };

  test('reaches a stream and a webhook that asked for it, once, when the last chunk has come', async () => {
    await using receiver = await WebhookReceiver.start();
    const webhook = await account.post('/user/api/webhooks', {
      url: receiver.url,
      events: ['recording.ready'],
    });
    receiver.secret = webhook.json.secret;
    const stream = await openStream(gateway.url, account.key);
    const id = await record(true);
    const events = await stream.take(3);
    stream.hangUp();
    await stream.ended;
    expect(events.map(({ type }) => type).toSorted()).toEqual([
      'recording.ready',
      'session.closed',
      'session.started',
    ]);
    const told = events.find(({ type }) => type === 'recording.ready');
    expect(told?.data).toMatchObject({ browserId: id, state: 'ready', events: 1 });
    await expect.poll(() => receiver.firstOf(id)).toEqual(['recording.ready']);
    expect(receiver.received).toHaveLength(1);
    expect(receiver.received[0]).toMatchObject({ id: told?.id, signed: true, data: await summaryOf(id) });
  });

  test('reaches them too when the last chunk never comes', async () => {
    await using receiver = await WebhookReceiver.start();
    const webhook = await account.post('/user/api/webhooks', {
      url: receiver.url,
      events: ['recording.ready'],
    });
    receiver.secret = webhook.json.secret;
    const id = await record(false);
    const stream = await openStream(gateway.url, account.key);
    gateway.clock.advance(closedMs.otherwise + 1000);
    const { recordingStorage, ...context } = gateway.running.gateway;
    if (!recordingStorage) throw new Error('no storage');
    await sweepRecordings({ ...context, recordingStorage });
    const [told] = await stream.take(1);
    stream.hangUp();
    await stream.ended;
    expect(told).toMatchObject({ type: 'recording.ready', data: await summaryOf(id) });
    await expect.poll(() => receiver.firstOf(id)).toEqual(['recording.ready']);
  });
});
