import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { Turnpike } from 'turnpike-client';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { startGatewayOn, type TestAccount, type TestGateway } from '../fixtures/gateway/gateway.ts';
import { type ScratchDirectory, scratchDirectory } from '../fixtures/process/scratch-directory.ts';
import { madeUpChunk, madeUpPicture } from '../fixtures/recordings/recording-chunks.ts';
import { watchLeaks } from '../fixtures/suite/leaks.ts';
import { connectAgent } from '../mcp/agent.ts';
import { command, turnpike } from './cli-driver.ts';

watchLeaks({ wholeFile: true });

const python = join(import.meta.dirname, '../../clients/python');
const picture = madeUpPicture(300, 9);

let directory: ScratchDirectory;
let gateway: TestGateway;
let account: TestAccount;
let id: string;

beforeAll(async () => {
  directory = await scratchDirectory('recordings');
  gateway = await startGatewayOn('sqlite', {
    recordings: {
      sessionMaxBytes: 10 ** 6,
      accountMaxBytes: 10 ** 7,
      keepMs: 86_400_000,
      location: { kind: 'file', directory: join(directory.path, 'kept') },
    },
  });
});
beforeEach(async () => {
  account = await gateway.account();
  id = (await account.create({ record: true })).json.browserId;
  const { recordingSink } = gateway.running;
  const { signal } = new AbortController();
  await recordingSink.append(madeUpChunk(id, 0, { pictures: [picture] }), signal);
  const failed = { t: 2100, kind: 'exception', text: 'it broke' } as const;
  await recordingSink.append(madeUpChunk(id, 1, { events: [failed], isLast: true }), signal);
});
afterAll(async () => {
  await gateway[Symbol.asyncDispose]();
  await directory[Symbol.asyncDispose]();
});

test('the Node client lists, reads, exports, shares and deletes recordings', async () => {
  const { recordings } = new Turnpike({ endpoint: gateway.url, apiKey: account.key });
  const listed = await Array.fromAsync(recordings.list());
  expect(listed).toMatchObject([{ sessionId: id, state: 'ready', errors: 1, pictures: 1 }]);
  expect((await recordings.get(id)).chunks).toHaveLength(2);
  expect((await recordings.get(id, { after: 0 })).chunks).toMatchObject([{ index: 1 }]);
  const events = await Array.fromAsync(recordings.events(id));
  expect(events.map(({ kind }) => kind)).toEqual(['console', 'picture', 'exception']);
  expect(await Array.fromAsync(recordings.events(id, { from: 1, to: 1 }))).toMatchObject([
    { t: 2100, text: 'it broke' },
  ]);
  expect(Buffer.from(await recordings.picture(id, 0, 0))).toEqual(picture);
  const har = await new Response(await recordings.export(id, 'har')).json();
  expect(har).toMatchObject({ log: { version: '1.2' } });
  expect((await recordings.share(id, { hours: 1 })).url).toContain('/shared-recording#token=');
  await recordings.delete(id);
  await expect(recordings.get(id)).rejects.toMatchObject({ statusCode: 404, code: 'RECORDING_NOT_FOUND' });
  await expect(recordings.export(id, 'har')).rejects.toMatchObject({ statusCode: 404 });
  expect(await Array.fromAsync(recordings.list())).toEqual([]);
});

const script = `
import asyncio, os, sys
from turnpike import AsyncTurnpike, Turnpike, TurnpikeError

endpoint, key, session = os.environ["TURNPIKE_URL"], os.environ["TURNPIKE_API_KEY"], sys.argv[1]
with Turnpike(endpoint, key) as client:
    (listed,) = client.list_recordings()
    assert (listed.session_id, listed.state, listed.errors) == (session, "ready", 1), listed
    recording = client.get_recording(session)
    assert [chunk.picture_times for chunk in recording.chunks] == [[0.0], []], recording
    assert [chunk.index for chunk in client.get_recording(session, after=0).chunks] == [1]
    assert [event["kind"] for event in client.recording_events(session)] == ["console", "picture", "exception"]
    assert client.recording_picture(session, 0, 0)[:3] == b"\\xff\\xd8\\xff"
    assert b'"jpeg"' in client.export_recording(session, "ndjson")
    assert "#token=" in client.share_recording(session, hours=2).url

async def main():
    async with AsyncTurnpike(endpoint, key) as client:
        assert [listed.session_id async for listed in client.list_recordings()] == [session]
        assert (await client.get_recording(session)).events == 3
        assert len(await client.recording_events(session, from_=1, to=1)) == 1
        await client.delete_recording(session)
        try:
            await client.get_recording(session)
        except TurnpikeError as error:
            assert error.code == "RECORDING_NOT_FOUND", error
        else:
            raise AssertionError("it is still there")

asyncio.run(main())
`;

test('both Python clients do the same', async () => {
  const env = {
    ...process.env,
    PYTHONPATH: join(python, 'src'),
    TURNPIKE_URL: gateway.url,
    TURNPIKE_API_KEY: account.key,
  };
  await promisify(execFile)(join(python, '.venv/bin/python'), ['-c', script, id], { env });
});

test('the command line lists, exports, replays, shares and deletes recordings', async () => {
  const env = { XDG_CONFIG_HOME: '/nonexistent', TURNPIKE_URL: gateway.url, TURNPIKE_API_KEY: account.key };
  const run = (...args: string[]) => turnpike(env, args);
  expect((await run('recordings', 'ls')).stdout).toContain(id);
  expect(JSON.parse((await run('recordings', 'ls', '--json')).stdout)).toMatchObject([{ sessionId: id }]);
  const file = join(directory.path, 'saved.har');
  expect(await run('recordings', 'export', id, file)).toMatchObject({ code: 0, stdout: `${file}\n` });
  expect(JSON.parse(await readFile(file, 'utf8')).log.version).toBe('1.2');
  const lines = await run('recording', 'export', id, '-', '--format', 'ndjson');
  expect(lines.stdout.trim().split('\n')).toHaveLength(3);
  expect((await run('replay', id)).stdout).toMatch(/^http\S+\/shared-recording#token=\S+\n$/);
  expect((await run('recordings', 'share', id, '--hours', '48')).stdout).toContain('#token=');
  expect(await run('recordings', 'rm', id)).toMatchObject({ code: 0 });
  expect((await run('replay', id)).code).not.toBe(0);
  expect((await run('recordings', 'ls')).stdout).toContain('There are no recordings');
});

test('an agent reads what went wrong, or all of it', async () => {
  await using agent = await connectAgent(
    new StdioClientTransport({
      command: process.execPath,
      args: [command, 'mcp'],
      env: {
        PATH: process.env['PATH'] ?? '',
        XDG_CONFIG_HOME: '/nonexistent',
        TURNPIKE_URL: gateway.url,
        TURNPIKE_API_KEY: account.key,
      },
    }),
  );
  const errors = await agent.use('read_recording', { session: id });
  expect(errors).toContain('it broke');
  expect(errors).not.toContain('chunk 0');
  const all = await agent.use('read_recording', { session: id, onlyErrors: false });
  expect(all.indexOf('chunk 0')).toBeLessThan(all.indexOf('it broke'));
  expect(await agent.use('read_recording', { session: id, onlyErrors: false, toSeconds: 1 })).not.toContain(
    'it broke',
  );
  expect(await agent.refused('read_recording', { session: 'br_000000000000000000000000' })).toContain(
    'recording',
  );
});
