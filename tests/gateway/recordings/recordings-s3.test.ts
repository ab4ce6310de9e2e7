// @module-tag slow

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readGatewayConfig } from '../../../apps/gateway/src/config.ts';
import { openRecordingStorage } from '../../../apps/gateway/src/recordings/storage/open-storage.ts';
import type {
  RecordingLocation,
  RecordingStorage,
} from '../../../apps/gateway/src/recordings/storage/recording-storage.ts';
import { findStorageProblem } from '../../../apps/gateway/src/recordings/storage/storage-problem.ts';
import { sweepRecordings } from '../../../apps/gateway/src/recordings/sweep-recordings.ts';
import { startGatewayOn } from '../../fixtures/gateway/gateway.ts';
import { freePort } from '../../fixtures/network/free-port.ts';
import { type Daemon, startDaemon } from '../../fixtures/process/daemon.ts';
import { scratchDirectory } from '../../fixtures/process/scratch-directory.ts';
import { madeUpChunk, madeUpPicture } from '../../fixtures/recordings/recording-chunks.ts';
import { watchLeaks } from '../../fixtures/suite/leaks.ts';
import { NotAtHand, pythonPackages } from '../../real-clients/installed.ts';

watchLeaks({ wholeFile: true });

const signal = new AbortController().signal;

/** The S3 server of the package `moto`; a sentence where it cannot be had. */
async function s3Python(): Promise<string | { missing: string }> {
  try {
    return await pythonPackages('moto[s3,server]==5.2.5');
  } catch (error) {
    if (!(error instanceof NotAtHand)) throw error;
    return { missing: error.message };
  }
}

const python = await s3Python();
if (typeof python !== 'string') console.warn(`skipping S3: ${python.missing}`);

describe.skipIf(typeof python !== 'string')('recordings in S3-compatible storage', () => {
  let directory: Awaited<ReturnType<typeof scratchDirectory>>;
  let server: Daemon;
  let endpoint: string;
  let location: RecordingLocation;
  let storage: RecordingStorage;

  beforeAll(async () => {
    directory = await scratchDirectory('s3');
    const port = await freePort();
    server = await startDaemon(String(python), ['-m', 'moto.server', '-H', '127.0.0.1', '-p', String(port)], {
      cwd: directory.path,
      ready: port,
      readyMs: 60_000,
    });
    endpoint = `http://127.0.0.1:${port}`;
    process.env['AWS_ACCESS_KEY_ID'] = 'recordings';
    process.env['AWS_SECRET_ACCESS_KEY'] = 'a secret of the test';
    await fetch(`${endpoint}/turnpike-recordings`, { method: 'PUT' });
    const { recordings } = readGatewayConfig({
      TURNPIKE_RECORDINGS_URL: 's3://turnpike-recordings/some/prefix/',
      TURNPIKE_SECRET_KEY: '0'.repeat(64),
      AWS_ENDPOINT_URL_S3: endpoint,
    });
    if (!recordings?.location) throw new Error('no location');
    location = recordings.location;
    storage = await openRecordingStorage(location);
  });

  afterAll(async () => {
    delete process.env['AWS_ACCESS_KEY_ID'];
    delete process.env['AWS_SECRET_ACCESS_KEY'];
    storage?.close();
    await server?.[Symbol.asyncDispose]();
    await directory?.[Symbol.asyncDispose]();
  });

  /** Asks the server itself, not by the client under test. */
  const keysBelow = async (prefix: string): Promise<string[]> => {
    const query = new URLSearchParams({ 'list-type': '2', prefix });
    const answer = await fetch(`${endpoint}/turnpike-recordings?${query}`);
    expect(answer.status).toBe(200);
    return Array.from((await answer.text()).matchAll(/<Key>([^<]*)<\/Key>/g), ([, key = '']) => key);
  };

  test('objects are stored, replaced, read and deleted, below the prefix', async () => {
    await storage.put('br_a/0.events', Buffer.from('one'), signal);
    await storage.put('br_a/0.events', Buffer.from('two'), signal);
    await storage.put('br_a/0.pictures', Buffer.alloc(4 * 2 ** 20, 1), signal);
    await storage.put('br_ab/0.events', Buffer.from('other'), signal);
    expect(await keysBelow('')).toEqual([
      'some/prefix/br_a/0.events',
      'some/prefix/br_a/0.pictures',
      'some/prefix/br_ab/0.events',
    ]);
    expect((await storage.get('br_a/0.events', signal))?.toString()).toBe('two');
    expect((await storage.get('br_a/0.pictures', signal))?.length).toBe(4 * 2 ** 20);
    expect(await storage.get('br_a/1.events', signal)).toBeUndefined();
    await storage.delete(['br_a/0.pictures', 'br_a/7.pictures'], signal);
    await storage.deleteSession('br_a', signal);
    await storage.deleteSession('br_a', signal);
    expect(await keysBelow('')).toEqual(['some/prefix/br_ab/0.events']);
    await storage.deleteSession('br_ab', signal);
  });

  test('a session with thousands of objects is deleted whole', async () => {
    const names = Array.from({ length: 1100 }, (_, i) => `br_many/${i}.events`);
    for (let first = 0; first < names.length; first += 50)
      await Promise.all(
        names.slice(first, first + 50).map((name) => storage.put(name, Buffer.from('x'), signal)),
      );
    await storage.deleteSession('br_many', signal);
    expect(await keysBelow('')).toEqual([]);
  });

  test('what cannot be stored or read is an error in time', async () => {
    const elsewhere = await openRecordingStorage({
      ...location,
      bucket: 'no-such-bucket',
    } as RecordingLocation);
    await expect(elsewhere.put('br_a/0.events', Buffer.from('x'), signal)).rejects.toThrow();
    await expect(elsewhere.get('br_a/0.events', signal)).rejects.toThrow();
    await expect(elsewhere.deleteSession('br_a', signal)).rejects.toThrow();
    await expect(storage.put('br_a/0.events', Buffer.from('x'), AbortSignal.abort())).rejects.toThrow();
    elsewhere.close();
    expect(await findStorageProblem(location)).toBeUndefined();
    expect(await keysBelow('')).toEqual([]);
    const missing = { ...location, bucket: 'no-such-bucket' } as RecordingLocation;
    expect(await findStorageProblem(missing)).toEqual({
      what: 'recordings cannot go to s3://no-such-bucket/some/prefix/: there is no such bucket',
      advice: 'create it, or correct TURNPIKE_RECORDINGS_URL',
    });
  });

  test('a gateway keeps recordings there, thins, exports and deletes them', async () => {
    const limits = { sessionMaxBytes: 60_000, accountMaxBytes: 10 ** 6, keepMs: 60_000 };
    await using gateway = await startGatewayOn('sqlite', { recordings: { ...limits, location } });
    const account = await gateway.account();
    const { json } = await account.create({ record: true });
    const id: string = json.browserId;
    const append = (index: number, isLast = false) =>
      gateway.running.recordingSink.append(
        madeUpChunk(id, index, { pictures: [madeUpPicture(9000)], isLast }),
        signal,
      );
    for (let index = 0; index < 12; index++) expect(await append(index, index === 11)).toBe('stored');
    const recording = (await account.get(`/api/browser/${id}/recording`)).json;
    expect(recording).toMatchObject({ state: 'ready', events: 24 });
    const objects = await keysBelow(`some/prefix/${id}/`);
    expect(objects.filter((key) => key.endsWith('.events'))).toHaveLength(12);
    expect(objects.filter((key) => key.endsWith('.pictures'))).toHaveLength(recording.pictures);
    expect((await account.get(`/api/browser/${id}/recording/events`)).text).toContain('chunk 11');
    expect((await account.get(`/api/browser/${id}/recording/pictures/11/0`)).status).toBe(200);
    expect((await account.get(`/api/browser/${id}/recording/export?format=ndjson`)).text).toContain('"jpeg"');
    gateway.clock.advance(limits.keepMs + 1000);
    const { recordingStorage, ...context } = gateway.running.gateway;
    if (!recordingStorage) throw new Error('no storage');
    await sweepRecordings({ ...context, recordingStorage });
    expect(await keysBelow('')).toEqual([]);
    expect((await account.get(`/api/browser/${id}/recording`)).status).toBe(404);
  });
});
