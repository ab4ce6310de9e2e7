import { existsSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { watchLeaks } from '../fixtures/suite/leaks.ts';
import { describeEach } from '../fixtures/suite/matrix.ts';
import type { RawCdp, RawPage } from './cdp.ts';
import { AttackHarness } from './harness.ts';
import { modes } from './modes.ts';
import { readFile, readGiven } from './page-scripts.ts';

watchLeaks({ wholeFile: true });

/** Is in the sandbox too: an attack that cannot even read this one proves nothing. */
const openFile = '/usr/lib/os-release';
const openText = 'PRETTY_NAME';

const unreadable = /^(Not(Found|Readable)Error,?)*$/;

/** One path, as URL parsers and filters have been fooled with it. */
function spellings(path: string): string[] {
  const encoded = path.replace(/[a-z]/g, (letter) => `%${letter.charCodeAt(0).toString(16)}`);
  return [
    `file://${path}`,
    `file:${path}`,
    `file:/${path}`,
    `file:///${path}`,
    `FILE://${path}`,
    `fIlE:${path}`,
    ` \tfile://${path}`,
    `file://localhost${path}`,
    `file://LOCALHOST${path}`,
    `file://127.0.0.1${path}`,
    `file:\\\\${path}`,
    `file://${encoded}`,
    `file:///usr/..${path}`,
    `file:///usr/%2e%2e${path}`,
    `file:///proc/self/root${path}`,
    `file:///proc/self/cwd/../..${path}`,
    `file:///proc/1/root${path}`,
    `file://${path}?query`,
    `file://${path}#fragment`,
    `view-source:file://${path}`,
    `view-source:FILE:${path}`,
    `filesystem:file://${path}`,
    `filesystem:http://localhost/temporary${path}`,
    `blob:file://${path}`,
    `file:///dev/fd/3`,
    `file:///proc/self/fd/3`,
  ];
}

let harness: AttackHarness;

beforeAll(async () => {
  harness = await AttackHarness.open();
  harness.proxy.page('/', '<!doctype html><title>attack</title><input type=file multiple><a>link</a>');
});
afterEach(() => harness.expectSealed());
afterAll(() => harness[Symbol.asyncDispose]());

describeEach(modes)('to a $name browser,', ({ headless }) => {
  let client: RawCdp;
  let page: RawPage;

  beforeAll(async () => {
    client = await harness.attack(await harness.session({ headless }));
    page = await client.page('http://localhost/');
  });

  /** A page of the file scheme, from which its frames and requests are allowed more. */
  async function filePage(): Promise<RawPage> {
    const opened = await client.page(`file://${openFile}`);
    expect(await opened.text()).toContain(openText);
    return opened;
  }

  /** A few at a time, each in a page of its own. */
  async function inPages(urls: string[], attack: (attacker: RawPage, url: string) => Promise<void>) {
    const queue = urls.values();
    await Promise.all(
      Array.from({ length: 4 }, async () => {
        const attacker = await filePage();
        for (const url of queue) await attack(attacker, url);
        await attacker.close();
      }),
    );
  }

  test('no spelling of file: leads to the canary', { tags: 'slow' }, () =>
    inPages(spellings(harness.canaryFile), async (attacker, url) => {
      await attacker.go(url);
      expect([url, await attacker.text()]).not.toEqual([url, expect.stringContaining('canary')]);
    }),
  );

  test('no file or directory of the host is there', { tags: 'slow' }, async () => {
    const { canaryDirectory, service } = harness;
    const paths = [canaryDirectory, service.dataDirectory, `${service.dataDirectory}/turnpike.sqlite`];
    paths.push(process.cwd(), process.execPath);
    paths.push(
      ...'/etc/passwd /etc/shadow /etc/hostname /etc/resolv.conf /root /root/.ssh /var/log'.split(' '),
    );
    paths.push(...'/sys /run /boot /srv /mnt /dev/mem /dev/kmsg /proc/kcore /proc/1/root/root'.split(' '));
    await inPages(paths, async (attacker, path) => {
      const error = await attacker.go(`file://${path}`);
      expect([path, error]).toEqual([path, expect.stringMatching(/NOT_FOUND|ACCESS_DENIED|ABORTED|FAILED/)]);
    });
    const attacker = await client.page('file:///');
    const names =
      "[...document.querySelectorAll('a.icon:not(.up)')].map((a) => a.text.replace('/', '')).join(' ')";
    expect(await attacker.run(names)).toBe('bin dev etc home lib lib64 proc tmp usr var');
    await attacker.close();
  });

  test('no page gets at it: by fetch, frames, popups, workers, styles, modules or beacons', async () => {
    const attempts = readFile(`file://${harness.canaryFile}`);
    const attacker = await filePage();
    for (const from of [page, attacker]) {
      await from.run(attempts);
      await from.send('Page.captureSnapshot'); // The text of every frame.
    }
    const { result } = await client.send('Target.getTargets');
    for (const { targetId, type, url } of result.targetInfos) {
      if (type !== 'page' || targetId === page.targetId || !url.includes('file:')) continue;
      const attached = await client.send('Target.attachToTarget', { targetId, flatten: true });
      const { sessionId } = attached.result;
      const expression = 'document.documentElement.outerHTML';
      await client.send('Runtime.evaluate', { expression }, sessionId);
      await client.send('Target.closeTarget', { targetId });
    }
    await page.go('http://localhost/');
  });

  test('no DevTools command reads it', async () => {
    const canary = `file://${harness.canaryFile}`;
    const attacker = await filePage();
    const { result } = await attacker.send('Page.getFrameTree');
    const frameId = result.frameTree.frame.id;
    for (const url of [canary, 'file:///etc/passwd', `view-source:${canary}`]) {
      for (const options of [
        {},
        { hidden: true },
        { background: true },
        { newWindow: true },
        { forTab: true },
      ]) {
        const made = await client.send('Target.createTarget', { url, ...options });
        const targetId = made.result?.targetId;
        if (targetId === undefined) continue;
        const { result: attached } = await client.send('Target.attachToTarget', {
          targetId,
          flatten: true,
        });
        const expression = 'document.documentElement.outerHTML';
        await client.send('Runtime.evaluate', { expression }, attached?.sessionId);
        await client.send('Target.closeTarget', { targetId });
      }
      const options = { disableCache: true, includeCredentials: true };
      for (const scope of [{ frameId }, {}]) {
        const loaded = await attacker.send('Network.loadNetworkResource', { ...scope, url, options });
        const handle = loaded.result?.resource?.stream;
        if (handle) await attacker.send('IO.read', { handle });
        expect(loaded.result?.resource?.success ?? false).toBe(false);
      }
      expect((await attacker.send('Page.getResourceContent', { frameId, url })).error).toBeDefined();
      expect(
        (await attacker.send('Page.searchInResource', { frameId, url, query: 'a' })).error,
      ).toBeDefined();
    }
    for (const handle of [harness.canaryFile, canary, '/etc/passwd', '0', '1', '3']) {
      expect((await attacker.send('IO.read', { handle })).error).toBeDefined();
      expect((await client.send('IO.read', { handle })).error).toBeDefined();
    }
    await attacker.close();
  });

  test('no intercepted request is turned into it', async () => {
    const canary = `file://${harness.canaryFile}`;
    await page.send('Fetch.enable', { patterns: [{ urlPattern: '*' }] });
    for (const turn of [
      (requestId: string) => page.send('Fetch.continueRequest', { requestId, url: canary }),
      (requestId: string) =>
        page.send('Fetch.fulfillRequest', {
          requestId,
          responseCode: 302,
          responseHeaders: [{ name: 'Location', value: canary }],
        }),
    ]) {
      const paused = client.event(({ method }) => method === 'Fetch.requestPaused');
      const fetched = page.run("fetch('/intercepted').then((answer) => answer.text())");
      const requestId = (await paused)?.params.requestId;
      await turn(requestId);
      await page.send('Fetch.failRequest', { requestId, errorReason: 'Failed' });
      expect(await fetched).toMatch(/error: TypeError/);
    }
    await page.send('Fetch.disable');
  });

  test('no file input, file chooser or drop is given it', async () => {
    const chosen = () => page.run(readGiven("document.querySelector('input').files"));
    const { result } = await page.send('Runtime.evaluate', {
      expression: "document.querySelector('input')",
    });
    const { objectId } = result.result;
    // The host answers what it reads of such a message. This is too long for that: the walls have to hold as well.
    const unread = 'x'.repeat(300_000);
    const choose = (files: string[]) => page.send('DOM.setFileInputFiles', { files, objectId, unread });

    await choose([openFile]);
    expect(await chosen()).toContain(openText);
    await choose([harness.canaryFile, '/etc/passwd', harness.canaryDirectory, '/root']);
    expect(await chosen()).toMatch(unreadable);
    await page.run("document.querySelector('input').webkitdirectory = true");
    await choose([harness.canaryDirectory]);
    expect(await chosen()).toMatch(unreadable);

    await page.run(`addEventListener('dragover', (event) => event.preventDefault());
      addEventListener('drop', (event) => { event.preventDefault(); globalThis.dropped = [...event.dataTransfer.files]; })`);
    const data = { items: [], files: [harness.canaryFile], dragOperationsMask: 1 };
    for (const type of ['dragEnter', 'dragOver', 'drop']) {
      await page.send('Input.dispatchDragEvent', { type, x: 50, y: 50, data, unread });
    }
    expect(await page.run(readGiven('(globalThis.dropped ?? [])'))).toMatch(unreadable);
    await page.go('http://localhost/');
  });

  test('no download, trace or log is written outside', async () => {
    const name = `download-${Date.now()}.txt`;
    const places = [
      harness.canaryDirectory,
      harness.service.dataDirectory,
      tmpdir(),
      '/tmp',
      '/',
      '/usr/lib',
      '/dev/shm',
    ];
    for (const downloadPath of places) {
      for (const method of ['Browser.setDownloadBehavior', 'Page.setDownloadBehavior']) {
        await page.send(method, { behavior: 'allow', downloadPath, eventsEnabled: true });
        const ended = client.event(
          (event) => event.method.endsWith('.downloadProgress') && event.params.state !== 'inProgress',
          1500,
        );
        await page.run(`Object.assign(document.querySelector('a'), {
          href: URL.createObjectURL(new Blob(['written'])), download: '${name}' }).click()`);
        await ended;
      }
      expect([downloadPath, existsSync(join(downloadPath, name))]).toEqual([downloadPath, false]);
    }
    const path = Buffer.from(join(harness.canaryDirectory, 'trace'));
    // A TraceConfig of Perfetto: a buffer, write_into_file and output_path.
    const head = Buffer.from([0x0a, 0x03, 0x08, 0x80, 0x08, 0x40, 0x01, 0xea, 0x01, path.length]);
    const perfettoConfig = Buffer.concat([head, path]).toString('base64');
    await client.send('Tracing.start', { perfettoConfig, transferMode: 'ReturnAsStream' });
    await client.send('Tracing.end');
    await page.send('Page.printToPDF', { transferMode: 'ReturnAsStream' });
    expect(readdirSync(harness.canaryDirectory)).toHaveLength(2);
  });

  test('no extension or app is loaded from a path of the host', async () => {
    for (const [method, params] of [
      ['Extensions.loadUnpacked', { path: harness.canaryDirectory }],
      [
        'PWA.install',
        {
          manifestId: `file://${harness.canaryFile}`,
          installUrlOrBundleUrl: `file://${harness.canaryFile}`,
        },
      ],
      ['PWA.launchFilesInApp', { manifestId: 'http://localhost/', files: [harness.canaryFile] }],
    ] as const) {
      for (const from of [client, page]) {
        const { error } = await from.send(method, params);
        expect([method, error]).toEqual([method, expect.anything()]);
      }
    }
  });
});
