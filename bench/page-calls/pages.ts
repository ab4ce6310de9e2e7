import { createServer } from 'node:http';
import { crc32, deflateSync } from 'node:zlib';
import { closeServer, listen } from '../../tests/fixtures/network/listen.ts';

/** The pages that are read: a small article, and a page with pictures, styles and scripts of its own. */

const sentence =
  'A page is loaded, read and closed again, and each of these takes its time on every machine. ';
const paragraph = (at: number) => `<p id="p${at}">${`${at}. ${sentence}`.repeat(4)}</p>`;
const many = <T>(count: number, make: (at: number) => T): T[] =>
  Array.from({ length: count }, (_, at) => make(at));

const article = `<!doctype html><html lang="en"><title>A small article</title>
<style>body { font: 16px serif; max-width: 40em; margin: auto }</style>
<article><h1>A small article</h1>${many(12, paragraph).join('\n')}</article></html>`;

const pictures = 24;
const styles = 4;
const scripts = 4;

const magazine = `<!doctype html><html lang="en"><head><title>A page with pictures</title>
${many(styles, (at) => `<link rel="stylesheet" href="/style-${at}.css">`).join('\n')}
${many(scripts, (at) => `<script defer src="/script-${at}.js"></script>`).join('\n')}</head>
<body><nav><ul>${many(60, (at) => `<li><a href="/section/${at}">Section ${at}</a></li>`).join('')}</ul></nav>
<main><article><h1>A page with pictures</h1>
${many(150, (at) => paragraph(at) + (at % 6 === 0 ? `<img src="/picture-${(at / 6) % pictures}.png" alt="Picture ${at}" width="320" height="240">` : '')).join('\n')}
<table>${many(80, (row) => `<tr>${many(6, (cell) => `<td>${row * cell}</td>`).join('')}</tr>`).join('')}</table>
</article></main><footer>${sentence.repeat(10)}</footer></body></html>`;

const style = many(400, (at) => `.c${at} { color: rgb(${at % 256}, 0, 0); padding: ${at % 9}px }`).join('\n');
const script = `for (let at = 0; at < 200; at++) {
  const cell = document.querySelectorAll('td')[at];
  if (cell) cell.classList.add('c' + at);
}`;

/** A picture of 320 × 240 whose pixels all differ, so that it is as large as a photograph. */
function picture(seed: number): Buffer {
  const [width, height] = [320, 240];
  const rows = Buffer.alloc((width * 3 + 1) * height);
  let value = seed + 1;
  for (let at = 0; at < rows.length; at++) {
    value = (value * 48271) % 2147483647;
    rows[at] = at % (width * 3 + 1) === 0 ? 0 : ((at / 700) | 0) + (value & 15);
  }
  const chunk = (type: string, data: Buffer): Buffer => {
    const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
    const [size, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
    size.writeUInt32BE(data.length);
    sum.writeUInt32BE(crc32(body));
    return Buffer.concat([size, body, sum]);
  };
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 2, 0, 0, 0], 8);
  const signature = Buffer.from('89504e470d0a1a0a', 'hex');
  return Buffer.concat([
    signature,
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(rows)),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

type File = [type: string, body: string | Buffer];

/** Serves both pages, and nothing from a cache. */
export async function servePages(): Promise<AsyncDisposable & { pages: Record<string, string> }> {
  const html = 'text/html; charset=utf-8';
  const files = new Map<string, File>([
    ['/article', [html, article]],
    ['/magazine', [html, magazine]],
    ...many(styles, (at): [string, File] => [`/style-${at}.css`, ['text/css', style]]),
    ...many(scripts, (at): [string, File] => [`/script-${at}.js`, ['text/javascript', script]]),
    ...many(pictures, (at): [string, File] => [`/picture-${at}.png`, ['image/png', picture(at)]]),
  ]);
  const server = createServer((request, response) => {
    const [type, body] = files.get(request.url ?? '') ?? [];
    if (type === undefined) return response.writeHead(404).end();
    return response.writeHead(200, { 'content-type': type, 'cache-control': 'no-store' }).end(body);
  });
  const origin = `http://127.0.0.1:${await listen(server)}`;
  return {
    pages: { 'small article': `${origin}/article`, 'page with pictures': `${origin}/magazine` },
    [Symbol.asyncDispose]: () => closeServer(server),
  };
}
