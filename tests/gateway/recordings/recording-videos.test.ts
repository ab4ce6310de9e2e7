import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ffmpegCommand } from '../../../apps/gateway/src/recordings/exports/video-sandbox.ts';
import { startGatewayOn, type TestAccount, type TestGateway } from '../../fixtures/gateway/gateway.ts';
import { type ScratchDirectory, scratchDirectory } from '../../fixtures/process/scratch-directory.ts';
import { madeUpChunk, madeUpPicture } from '../../fixtures/recordings/recording-chunks.ts';
import { watchLeaks } from '../../fixtures/suite/leaks.ts';

watchLeaks({ wholeFile: true });

const run = promisify(execFile);
const { signal } = new AbortController();

let directory: ScratchDirectory;
let gateway: TestGateway;
let account: TestAccount;

beforeAll(async () => {
  directory = await scratchDirectory('videos');
  gateway = await startGatewayOn('sqlite', {
    recordings: {
      sessionMaxBytes: 10 ** 8,
      accountMaxBytes: 10 ** 9,
      keepMs: 86_400_000,
      location: { kind: 'file', directory: join(directory.path, 'kept') },
    },
  });
  account = await gateway.account();
});
afterAll(async () => {
  await gateway[Symbol.asyncDispose]();
  await directory[Symbol.asyncDispose]();
});

/** JPEG files of a test card, of that size. */
async function pictures(count: number, size: string): Promise<Buffer[]> {
  const source = `testsrc=size=${size}:rate=1`;
  const files = Array.from({ length: count }, (_, i) => i);
  return Promise.all(
    files.map(async (i) => {
      const args = ['-v', 'error', '-f', 'lavfi', '-i', source, '-ss', String(i), '-frames:v', '1'];
      const made = await run('/usr/bin/ffmpeg', [...args, '-f', 'image2pipe', '-c:v', 'mjpeg', '-'], {
        encoding: 'buffer',
      });
      return made.stdout;
    }),
  );
}

async function recorded(chunks: readonly (readonly Buffer[])[], by = account): Promise<string> {
  const id: string = (await by.create({ record: true })).json.browserId;
  for (const [index, made] of chunks.entries())
    await gateway.running.recordingSink.append(madeUpChunk(id, index, { pictures: made }), signal);
  await by.close(id);
  return id;
}

const exportOf = (id: string, by = account) =>
  fetch(`${gateway.url}/api/browser/${id}/recording/export?format=webm`, {
    headers: { 'x-api-key': by.key },
  });

test('a video shows the pictures for as long as they were seen, whatever their sizes', async () => {
  const [wide, tall] = [await pictures(3, '1280x720'), await pictures(1, '400x800')];
  const id = await recorded([wide, [], [], tall, []]);
  const answer = await exportOf(id);
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'video/webm']);
  const file = join(directory.path, 'video.webm');
  await writeFile(file, Buffer.from(await answer.arrayBuffer()));
  const fields = 'stream=codec_name,width,height:format=duration';
  const { stdout } = await run('/usr/bin/ffprobe', [
    '-v',
    'error',
    '-show_entries',
    fields,
    '-of',
    'json',
    file,
  ]);
  const { streams, format } = JSON.parse(stdout);
  expect(streams).toMatchObject([{ codec_name: 'vp8', width: 1280, height: 720 }]);
  // The last event is that of chunk 4, at 8 seconds.
  expect(Number(format.duration)).toBeCloseTo(8, 0);
});

test('pictures that are none, or a client that goes away, end only that video', async () => {
  const damaged = await recorded([[madeUpPicture(5000)]]);
  expect((await exportOf(damaged)).status).toBe(500);
  const id = await recorded([await pictures(2, '1280x720'), [], []]);
  const leave = new AbortController();
  const left = fetch(`${gateway.url}/api/browser/${id}/recording/export?format=webm`, {
    headers: { 'x-api-key': account.key },
    signal: leave.signal,
  });
  leave.abort();
  await expect(left).rejects.toThrow();
  expect((await exportOf(id)).status).toBe(200);
});

test('an account that loops over exports leaves a place to others, and its own come one after the other', {
  tags: 'slow',
}, async () => {
  const id = await recorded([await pictures(2, '1280x720'), [], []]);
  const other = await gateway.account();
  const own = await recorded([await pictures(2, '1280x720'), []], other);
  let isLooping = true;
  const statuses = new Set<number>();
  const loop = async () => {
    while (isLooping) {
      const answer = await exportOf(id);
      await answer.arrayBuffer();
      statuses.add(answer.status);
    }
  };
  const loops = Array.from({ length: 4 }, loop);
  for (let round = 0; round < 5; round++) {
    const answer = await exportOf(own, other);
    expect([answer.status, (await answer.arrayBuffer()).byteLength > 1000]).toEqual([200, true]);
  }
  isLooping = false;
  await Promise.all(loops);
  expect([...statuses]).toEqual([200]);
});

test('the sandbox has no network and none of the files of the machine', async () => {
  const [program = '', ...args] = ffmpegCommand(1);
  const shell = args.slice(0, args.indexOf('--') + 1);
  const inside = async (script: string) => (await run(program, [...shell, '/bin/sh', '-c', script])).stdout;
  expect(await inside('ls /; ls /tmp; cat /etc/passwd 2>/dev/null; true')).not.toMatch(/root|home|work|var/);
  expect((await inside('cat < /dev/null; ls /proc 2>/dev/null; true')).trim()).toBe('');
  const fetching = [
    ...shell,
    '/usr/bin/ffmpeg',
    '-v',
    'error',
    '-i',
    `${gateway.url}/health`,
    '-f',
    'null',
    '-',
  ];
  await expect(run(program, fetching)).rejects.toThrow(/refused|unreachable/);
});
