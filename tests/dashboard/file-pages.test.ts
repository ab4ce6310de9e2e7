import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { answerFiles, fileTarget } from '../../apps/host/src/files/answer-files.ts';
import { SessionFiles } from '../../apps/host/src/files/session-files.ts';
import { openDirectory } from '../../apps/host/src/sandbox/open-directory.ts';
import { scratchDirectory } from '../fixtures/process/scratch-directory.ts';
import { watchLeaks } from '../fixtures/suite/leaks.ts';
import { describeEach, quickOn } from '../fixtures/suite/matrix.ts';
import { type DashboardHarness, startDashboardHarness } from './harness.ts';
import { fromOwnPage, type Visitor } from './visitor.ts';

watchLeaks();

describeEach(quickOn('sqlite'))("a running session's files in the dashboard on %s", (engine) => {
  const all = new AsyncDisposableStack();
  let harness: DashboardHarness;
  let directory: string;
  let host: Server;

  beforeAll(async () => {
    directory = all.use(await scratchDirectory('files')).path;
    const files = new SessionFiles({ open: () => openDirectory(directory), uid: undefined });
    host = createServer((asked, answer) => {
      const target = fileTarget(asked.url ?? '');
      void answerFiles(files, target?.name, asked, answer);
    });
    await new Promise<void>((resolve) => host.listen(0, '127.0.0.1', resolve));
    all.defer(() => void host.close());
    harness = all.use(await startDashboardHarness(engine));
    harness.gateway.host.publicUrl = `ws://127.0.0.1:${(host.address() as AddressInfo).port}`;
  });
  afterAll(() => all.disposeAsync());

  const begin = async () => {
    const { account, visitor } = await harness.accountPerson();
    const { json } = await visitor.post('/api/browser/create', { proxy: account.proxy });
    return { visitor, id: json.browserId, path: `/dashboard/api/sessions/${json.browserId}/files` };
  };

  /** Sends a file as a page does, in pieces. */
  const uploading = ({ cookie }: Visitor, path: string, type = 'application/octet-stream') => {
    const { url } = harness.gateway;
    const headers = { ...fromOwnPage(url), cookie, 'content-type': type };
    const sent = request(url + path, { method: 'POST', headers, agent: false });
    const answered = once(sent, 'response').then(async ([response]) => ({
      status: response.statusCode,
      json: JSON.parse(await text(response)),
    }));
    return { sent, answered };
  };

  test('they go up as they come, are listed, lead to the host, and are removed', async () => {
    const { visitor, id, path } = await begin();
    const name = 'übung 1.txt';
    const address = `${path}/${encodeURIComponent(name)}`;
    const { sent, answered } = uploading(visitor, address);
    sent.write('first, ');
    // The host has begun before the page has ended.
    await expect.poll(() => readdir(directory)).toEqual([expect.stringMatching(/^\.upload-/)]);
    sent.end('then the rest');
    expect(await answered).toEqual({ status: 200, json: { name } });
    expect(await readFile(`${directory}/${name}`, 'utf8')).toBe('first, then the rest');

    const { json } = await visitor.get(path);
    expect(json).toEqual({ files: [{ name, bytes: 20, modifiedAt: expect.any(String) }] });
    const download = await visitor.get(`/api/browser/${id}/files/${encodeURIComponent(name)}`);
    expect(download.status).toBe(307);
    const fetched = await fetch(download.headers.get('location') ?? '');
    expect(fetched.headers.get('content-disposition')).toMatch(/^attachment/);
    expect(await fetched.text()).toBe('first, then the rest');

    expect((await visitor.post(`${address}/remove`)).json).toEqual({ name });
    expect((await visitor.get(path)).json).toEqual({ files: [] });
    expect(await visitor.post(`${address}/remove`)).toMatchObject({
      status: 404,
      json: { error: 'File not found' },
    });
  });

  test('a file that the host refuses is told of, though the page has more to send', async () => {
    const { visitor, path } = await begin();
    const { sent, answered } = uploading(visitor, `${path}/.upload-mine`);
    for (let bytes = 0; bytes < 4_000_000; bytes += 100_000) sent.write(Buffer.alloc(100_000));
    sent.end();
    expect(await answered).toEqual({
      status: 400,
      json: { error: expect.stringMatching(/^A file name is/), code: 'FILE_NAME_INVALID' },
    });
    expect(await readdir(directory)).toEqual([]);
  });

  test("another account's are not there, an ended session's are gone, and a form of another site puts none", async () => {
    const { visitor, id, path } = await begin();
    const { visitor: other } = await harness.accountPerson();
    expect((await other.get(path)).status).toBe(404);
    expect((await other.get(`/api/browser/${id}/files/a`)).status).toBe(404);
    expect((await other.post(`${path}/a/remove`)).status).toBe(404);
    const refused = uploading(other, `${path}/a`);
    refused.sent.end('x');
    expect((await refused.answered).status).toBe(404);
    for (const type of ['text/plain', 'application/json']) {
      const form = uploading(visitor, `${path}/a`, type);
      form.sent.end('x');
      expect((await form.answered).status).toBe(403);
    }
    await visitor.post('/api/browser/close', { browserId: id });
    expect(await visitor.get(path)).toMatchObject({ status: 410, json: { error: 'Session is CLOSED' } });
    expect(await readdir(directory)).toEqual([]);
  });

  test('a host that does not answer is told', async () => {
    const { visitor, path } = await begin();
    host.closeAllConnections();
    await new Promise((resolve) => host.close(resolve));
    expect(await visitor.get(path)).toMatchObject({
      status: 502,
      json: { error: "The session's host does not answer; try again" },
    });
    const { sent, answered } = uploading(visitor, `${path}/a`);
    sent.end('x');
    expect((await answered).status).toBe(502);
  });
});
