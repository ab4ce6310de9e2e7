import type { ServerResponse } from 'node:http';
import type { WorldRequest } from '../tests/fixtures/network/world-proxy.ts';

/**
 * Sites with the weight of real ones. The median page of the HTTP Archive's desktop crawl of October 2024 (Web Almanac
 * 2024, "Page Weight") has 2,652 KB in 71 requests: images 1,054 KB in 18, scripts 613 KB in 24, fonts 131 KB,
 * stylesheets 78 KB, HTML 18 KB. The sites are spread around these, some with media. A part of the scripts is ads' and
 * trackers', from hosts that sites share. Sizes are those on the wire, so nothing is compressed. Cache headers are as
 * sites send them: hashed names for a year, images for a day or a week, others to be asked for again by their ETag;
 * pages, ads and beacons not at all.
 */

interface File {
  type: string;
  body: Buffer;
  cacheControl: string;
  etag?: string;
}

export interface Site {
  host: string;
  url: string;
}

const kilobyte = 1024;
const adHosts = ['ads.exchange.test', 'creative.adserver.test', 'bid.market.test'];
const trackerHosts = ['tags.manager.test', 'metrics.count.test', 'pixel.social.test'];

/** In the usual syntax. */
export const filterLists = {
  ads: [
    '||exchange.test^',
    '||adserver.test^$third-party',
    '||market.test^$script,subdocument',
    '/banner-ad-',
  ],
  trackers: ['||count.test^', '||manager.test^$third-party', '||social.test/pixel'],
};

/** The same numbers at every run. */
class Random {
  #state: number;
  constructor(seed: number) {
    this.#state = seed;
  }
  next(): number {
    this.#state = (Math.imul(this.#state, 1_664_525) + 1_013_904_223) >>> 0;
    return this.#state / 2 ** 32;
  }
  /** Around a median, from about a third of it to three times as much. */
  around(median: number): number {
    return Math.round(median * Math.exp((this.next() + this.next() - 1) * 1.1));
  }
  pick<T>(items: readonly T[]): T {
    return items[Math.floor(this.next() * items.length)] as T;
  }
  bytes(length: number): Buffer {
    const bytes = Buffer.allocUnsafe(length);
    for (let i = 0; i < length; i++) bytes[i] = Math.floor(this.next() * 256);
    return bytes;
  }
}

/** A picture of one pixel; what follows it is not looked at. */
const pixel = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

/** Silence, as a WAV file. */
function wav(bytes: number): Buffer {
  const file = Buffer.alloc(bytes);
  file.write('RIFF');
  file.writeUInt32LE(bytes - 8, 4);
  file.write('WAVEfmt ', 8);
  file.writeUInt32LE(16, 16);
  file.writeUInt16LE(1, 20);
  file.writeUInt16LE(2, 22);
  file.writeUInt32LE(44_100, 24);
  file.writeUInt32LE(176_400, 28);
  file.writeUInt16LE(4, 32);
  file.writeUInt16LE(16, 34);
  file.write('data', 36);
  file.writeUInt32LE(bytes - 44, 40);
  return file;
}

export class Corpus {
  readonly sites: Site[] = [];
  readonly #files = new Map<string, File>();

  constructor(count: number) {
    const random = new Random(20);
    this.#thirdParties(random);
    for (let i = 0; i < count; i++) this.sites.push(this.#site(random, `shop-${i + 1}.test`, i));
  }

  readonly respond = ({ host, path, headers }: WorldRequest, response: ServerResponse): void => {
    const file = this.#files.get(`${host}${path.replace(/\?.*/, '')}`);
    if (!file) {
      response.writeHead(404, { 'content-length': 0 }).end();
      return;
    }
    response.setHeader('content-type', file.type);
    response.setHeader('cache-control', file.cacheControl);
    response.setHeader('access-control-allow-origin', '*');
    if (file.etag) response.setHeader('etag', file.etag);
    if (file.etag && headers['if-none-match'] === file.etag) {
      response.writeHead(304).end();
      return;
    }
    const [, from] = /^bytes=(\d+)-/.exec(headers.range ?? '') ?? [];
    const body = file.body.subarray(Number(from ?? 0));
    if (from !== undefined) {
      response.setHeader('content-range', `bytes ${from}-${file.body.length - 1}/${file.body.length}`);
    }
    response.setHeader('accept-ranges', 'bytes');
    response.setHeader('content-length', body.length);
    response.writeHead(from === undefined ? 200 : 206).end(body);
  };

  #site(random: Random, host: string, index: number): Site {
    const cdn = `cdn.${host}`;
    const hashed = 'public, max-age=31536000, immutable';
    const at = (owner: string, path: string, file: File) => {
      this.#files.set(`${owner}${path}`, file);
      return `http://${owner}${path}`;
    };
    const some = (count: number) => Array.from({ length: Math.max(1, random.around(count)) }, (_, i) => i);
    const tagged = () => `"${random.bytes(8).toString('hex')}"`;

    const scripts = some(14).map((i) => {
      const isHashed = random.next() < 0.7;
      return at(cdn, isHashed ? `/app.${i}.4f2a.js` : `/lib-${i}.js`, {
        type: 'text/javascript',
        body: script(random, random.around(28 * kilobyte), `Section ${i} of ${host} is here.`),
        ...(isHashed
          ? { cacheControl: hashed }
          : { cacheControl: random.next() < 0.5 ? 'max-age=86400' : 'no-cache', etag: tagged() }),
      });
    });
    const images = some(18).map((i) =>
      at(cdn, `/photo-${i}.png`, {
        type: 'image/png',
        body: Buffer.concat([pixel, random.bytes(random.around(52 * kilobyte))]),
        cacheControl: random.pick(['public, max-age=86400', 'public, max-age=604800', hashed]),
        etag: tagged(),
      }),
    );
    const fonts = some(4).map((i) =>
      at(cdn, `/text-${i}.woff2`, {
        type: 'font/woff2',
        body: random.bytes(random.around(30 * kilobyte)),
        cacheControl: hashed,
      }),
    );
    const faces = fonts
      .map((url, i) => `@font-face { font-family: f${i}; src: url(${url}) } .f${i} { font-family: f${i} }`)
      .join('\n');
    const styles = some(5).map((i) =>
      at(cdn, `/style.${i}.9b1c.css`, {
        type: 'text/css',
        body: comment(random, random.around(14 * kilobyte), i === 0 ? faces : ''),
        cacheControl: hashed,
      }),
    );
    // About one page in six has media that loads by itself.
    const media =
      index % 6 === 0
        ? [
            at(cdn, '/clip.wav', {
              type: 'audio/wav',
              body: wav(random.around(700 * kilobyte)),
              cacheControl: hashed,
            }),
          ]
        : [];
    const thirdParties = [...adHosts.slice(0, 1 + (index % 3)), ...trackerHosts].map(
      (owner) => `http://${owner}/tag.js`,
    );
    const paragraphs = some(20).map(
      (i) => `<p class="f${i % fonts.length}">Paragraph ${i} of ${host}: ${words(random)}.</p>`,
    );
    const html = `<!doctype html><title>${host}</title>
      ${styles.map((url) => `<link rel="stylesheet" href="${url}">`).join('\n')}
      <h1>${host}</h1><div id="sections"></div>${paragraphs.join('\n')}
      ${images.map((url) => `<img alt="" width="10" height="10" src="${url}">`).join('\n')}
      ${media.map((url) => `<audio src="${url}" preload="auto"></audio>`).join('\n')}
      ${scripts.map((url) => `<script src="${url}"></script>`).join('\n')}
      ${thirdParties.map((url) => `<script async src="${url}"></script>`).join('\n')}
      <!-- ${random.bytes(random.around(5 * kilobyte)).toString('hex')} -->`;
    const url = at(host, '/', {
      type: 'text/html',
      body: Buffer.from(html),
      cacheControl: 'private, no-cache',
    });
    return { host, url };
  }

  /** Tags that load creatives and send beacons, at hosts that many sites share. */
  #thirdParties(random: Random): void {
    for (const host of adHosts) {
      const creative = `http://${host}/banner-ad-${random.around(100)}.png`;
      this.#files.set(new URL(creative).host + new URL(creative).pathname, {
        type: 'image/png',
        body: Buffer.concat([pixel, random.bytes(random.around(70 * kilobyte))]),
        cacheControl: 'no-store',
      });
      this.#files.set(`${host}/frame.html`, {
        type: 'text/html',
        body: Buffer.from(`<!doctype html><img src="${creative}"><script src="/render.js"></script>`),
        cacheControl: 'no-store',
      });
      this.#files.set(`${host}/render.js`, {
        type: 'text/javascript',
        body: comment(random, random.around(60 * kilobyte), ''),
        cacheControl: 'private, max-age=3600',
      });
      this.#files.set(`${host}/tag.js`, {
        type: 'text/javascript',
        body: comment(
          random,
          random.around(40 * kilobyte),
          `const frame = document.createElement('iframe'); frame.src = 'http://${host}/frame.html';
           document.body.append(frame);`,
        ),
        cacheControl: 'private, max-age=900',
      });
    }
    for (const host of trackerHosts) {
      this.#files.set(`${host}/pixel.png`, { type: 'image/png', body: pixel, cacheControl: 'no-store' });
      this.#files.set(`${host}/tag.js`, {
        type: 'text/javascript',
        body: comment(
          random,
          random.around(35 * kilobyte),
          `for (let i = 0; i < 3; i++) new Image().src = 'http://${host}/pixel.png?' + i + location.host;`,
        ),
        cacheControl: 'private, max-age=7200',
      });
    }
  }
}

/** A script that writes a line of the page's text. */
const script = (random: Random, bytes: number, line: string): Buffer =>
  comment(
    random,
    bytes,
    `document.querySelector('#sections').append(Object.assign(document.createElement('p'), { textContent: '${line}' }));`,
  );

const comment = (random: Random, bytes: number, code: string): Buffer =>
  Buffer.from(`${code}\n/* ${random.bytes(Math.max(0, bytes - code.length) >> 1).toString('hex')} */`);

const words = (random: Random): string =>
  Array.from({ length: 12 }, () =>
    random.pick(['a', 'good', 'offer', 'for', 'every', 'new', 'visitor', 'today']),
  ).join(' ');
