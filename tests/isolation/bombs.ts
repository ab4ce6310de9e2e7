import type { Page } from 'playwright-core';

/** What a page or its client can do to the session that it is in. Each runs until it is stopped by something. */
export interface Bomb {
  what: string;
  explode(page: Page, origin: string): Promise<unknown>;
}

const eatBuffers = 'const all = []; for (;;) all.push(new Uint8Array(8 << 20).fill(1));';
const inWorker = (script: string) => `new Worker(URL.createObjectURL(new Blob([${JSON.stringify(script)}])))`;
/** Starts a script and comes back: the page may not live to answer. */
const later = (script: string) => `setTimeout(() => { ${script} })`;

export const memoryBombs: Bomb[] = [
  { what: 'array buffers', explode: (page) => page.evaluate(later(eatBuffers)) },
  {
    what: 'array buffers in workers',
    explode: (page) => page.evaluate(`for (let i = 0; i < 8; i++) ${inWorker(eatBuffers)}`),
  },
  {
    what: 'WebAssembly memories',
    explode: (page) =>
      page.evaluate(
        later(
          'const all = []; for (;;) { const m = new WebAssembly.Memory({ initial: 1024 }); new Uint8Array(m.buffer).fill(1); all.push(m); }',
        ),
      ),
  },
  {
    what: 'canvases',
    explode: (page) =>
      page.evaluate(`{
        const all = [];
        setInterval(() => {
          const canvas = new OffscreenCanvas(4096, 4096);
          const context = canvas.getContext('2d', { willReadFrequently: true });
          context.fillRect(0, 0, 4096, 4096);
          all.push(context.getImageData(0, 0, 4096, 4096), canvas);
        });
      }`),
  },
  {
    what: 'tabs that eat',
    explode: (page) =>
      repeat(60, async () => {
        const tab = await page.context().newPage();
        await tab.evaluate('globalThis.kept = new Uint8Array(24 << 20).fill(1); 0');
      }),
  },
];

export const processBombs: Bomb[] = [
  { what: 'tabs', explode: (page) => repeat(200, () => page.context().newPage()) },
  {
    what: 'popups',
    explode: (page) =>
      page.evaluate("for (let i = 0; i < 200; i++) window.open('about:blank', '_blank', 'noopener')"),
  },
  {
    what: 'workers',
    explode: (page) =>
      page.evaluate(`for (let i = 0; i < 400; i++) ${inWorker('setInterval(() => 0, 100)')}`),
  },
  {
    what: 'frames of many sites',
    explode: (page, origin) =>
      page.evaluate(`for (let i = 2; i < 250; i++) {
        const frame = document.createElement('iframe');
        frame.src = '${origin}/'.replace('127.0.0.1', 'site' + i + '.localhost');
        document.body.append(frame);
      }`),
  },
];

export const diskBombs: Bomb[] = [
  {
    what: 'IndexedDB',
    explode: (page) =>
      page.evaluate(`new Promise((resolve) => {
        const opening = indexedDB.open('bomb');
        opening.onupgradeneeded = () => opening.result.createObjectStore('all', { autoIncrement: true });
        opening.onsuccess = () => {
          const write = () => {
            const t = opening.result.transaction('all', 'readwrite');
            t.objectStore('all').add(crypto.getRandomValues(new Uint8Array(65536)).toString().repeat(20));
            t.oncomplete = write;
            t.onabort = t.onerror = () => resolve('full');
          };
          write();
        };
      })`),
  },
  {
    what: 'the Cache API',
    explode: (page) =>
      page.evaluate(`(async () => {
        const cache = await caches.open('bomb');
        for (let i = 0; ; i++) await cache.put('/' + i, new Response(new Uint8Array(4 << 20).fill(i)));
      })().catch(() => 'full')`),
  },
  {
    what: 'downloads',
    explode: async (page, origin) => {
      const client = await page.context().newCDPSession(page);
      const downloadPath = '/home/user/files';
      await client.send('Browser.setDownloadBehavior', {
        behavior: 'allow',
        downloadPath,
        eventsEnabled: true,
      });
      const full = new Promise((resolve) => {
        client.on('Browser.downloadProgress', ({ state }) => state === 'canceled' && resolve('full'));
      });
      await repeat(12, (i) =>
        page.evaluate(`{
          const link = document.createElement('a');
          link.href = '${origin}/bytes/${32 << 20}?${i}';
          link.download = 'bomb-${i}';
          link.click();
        }`),
      );
      await full;
    },
  },
];

async function repeat(count: number, act: (index: number) => Promise<unknown>): Promise<void> {
  for (let index = 0; index < count; index += 1) await act(index);
}
