import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { closeServer, listen } from '../fixtures/network/listen.ts';

/** Pages for page calls. */
export interface PageSite extends AsyncDisposable {
  origin: string;
  /** Paths that were asked for, with their headers, oldest first. */
  asked: { path: string; headers: IncomingMessage['headers'] }[];
}

type Answer = (response: ServerResponse, request: IncomingMessage) => void;

const html =
  (body: string, status = 200): Answer =>
  (response) =>
    response.writeHead(status, { 'content-type': 'text/html; charset=utf-8' }).end(body);
const typed =
  (type: string, body: string | Buffer): Answer =>
  (response) =>
    response.writeHead(200, { 'content-type': type }).end(body);

const pixel = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

/** The smallest PDF that viewers show. */
const pdf = `%PDF-1.4
1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj
2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj
3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 200]>>endobj
trailer<</Root 1 0 R>>
%%EOF`;

const shop = `<!doctype html><html lang="en"><head><title>Shop</title><link rel="stylesheet" href="/style.css"></head>
<body><main id="main"><h1>Shop of things</h1>
<p class="item" data-price="5">First <b>thing</b></p><p class="item">Second thing</p>
<a href="/next">Next</a> <a href="/next">Again</a> <a href="https://example.com/x#y" style="display:none">Away</a>
<a href="mailto:a@example.com">Mail</a>
<label>Name <input value="Ada" required></label><button disabled>Buy</button></main>
<img src="/pixel.png" alt="a pixel"><script src="/missing.js"></script>
<script>console.error('bad', 7); setTimeout(() => { document.body.insertAdjacentHTML('beforeend', '<p id="late">late</p>'); window.done = true; }, 300); throw new Error('thrown');</script>
</body></html>`;

const lastModified = 'Wed, 18 Nov 2026 10:00:00 GMT';

const pages: Record<string, Answer> = {
  '/': html(shop),
  '/style.css': typed('text/css', 'h1 { color: rgb(1, 2, 3) }'),
  '/pixel.png': typed('image/png', pixel),
  '/consent': (response) => {
    response.setHeader('content-security-policy', "style-src 'none'");
    html(
      `<title>Consent</title><p>The text</p><div id="cmp-box">We value your privacy</div>
<div class="other cookie-wall">Accept all</div><p class="cookie-wall-not">Kept</p><script src="/cmp/load.js"></script>`,
    )(response, undefined as never);
  },
  '/cmp/load.js': typed('text/javascript', "document.body.append('loaded by the script')"),
  '/next': html('<title>Next</title><h1>Next</h1>'),
  '/validated': (response, request) => {
    const headers = { 'content-type': 'text/html', etag: '"v1"', 'last-modified': lastModified };
    if (request.headers['if-none-match'] === '"v1"') response.writeHead(304, headers).end();
    else response.writeHead(200, headers).end('<h1>Validated</h1><link rel="stylesheet" href="/style.css">');
  },
  '/to-validated': (response) => response.writeHead(302, { location: '/validated' }).end(),
  '/socket': html(
    `<script>const socket = new WebSocket(location.origin.replace('http', 'ws') + '/echo');
    socket.onclose = () => document.title = 'ended';</script>`,
  ),
  '/data.json': typed('application/json', '{"a": 1,  "b": "\\u00e9 \\"x\\" 😀"}'),
  '/plain.txt': typed('text/plain; charset=iso-8859-1', Buffer.from('caf\xe9 <b>\r\nline', 'latin1')),
  '/file.pdf': typed('application/pdf', pdf),
  '/report.csv': typed('text/csv', 'a,b\n1,2\n'),
  '/large.bin': (response) => {
    response.writeHead(200, { 'content-type': 'application/octet-stream', 'content-length': 2 ** 30 });
    const chunk = Buffer.alloc(2 ** 20);
    const send = () => {
      while (!response.destroyed && response.write(chunk));
    };
    response.on('drain', send);
    send();
  },
  '/gzip': (response) =>
    response
      .writeHead(200, { 'content-type': 'text/html', 'content-encoding': 'gzip' })
      .end(gzipSync(Buffer.alloc(100 * 2 ** 20, '<p>x'))),
  '/huge': html(
    `<body hidden><script>for (let i = 0; i < 400; i++) document.body.append('x'.repeat(100000))</script>`,
  ),
  '/away': (response) => response.writeHead(302, { location: '/next' }).end(),
  '/loop': (response) => response.writeHead(302, { location: '/loop' }).end(),
  '/empty': (response) => response.writeHead(204).end(),
  '/teapot': html('<h1>I am a teapot</h1>', 418),
  '/headers': (response, request) => typed('text/plain', JSON.stringify(request.headers))(response, request),
  '/secret': (response, request) => {
    const ok = request.headers.authorization === `Basic ${Buffer.from('ada:pass').toString('base64')}`;
    if (ok) html('<h1>Secret</h1>')(response, request);
    else response.writeHead(401, { 'www-authenticate': 'Basic realm="x"' }).end('no');
  },
  '/long': html(`<body style="margin:0"><div style="height:5000px;background:red"></div>`),
  '/endless': html(`<body style="margin:0"><div style="height:3000px"></div><script>
    addEventListener('scroll', () => { const d = document.createElement('div'); d.style.height = '3000px'; document.body.append(d); })</script>`),
  '/alerts': html('<script>for (;;) alert(1)</script>'),
  '/alert': html('<title>Alert</title><script>alert(1); window.answer = confirm("?")</script><h1>after</h1>'),
  '/close': html('<script>setTimeout(() => window.close(), 50)</script>'),
  '/flood': html(
    '<script>for (let i = 0; i < 3000; i++) console.error("x".repeat(2000), i)</script><h1>flooded</h1>',
  ),
  '/popups': html('<script>for (let i = 0; i < 30; i++) open("/next")</script><h1>popups</h1>'),
  '/unload': html(
    '<script>addEventListener("beforeunload", (e) => e.preventDefault())</script><h1>unload</h1>',
  ),
  '/refresh': html('<meta http-equiv="refresh" content="0; url=/refresh"><h1>refresh</h1>'),
  '/busy': html('<h1>busy</h1><script>for (;;) {}</script>'),
  '/slow-body': (response) => {
    response.writeHead(200, { 'content-type': 'text/html' }).write('<h1>slow</h1>');
    const timer = setInterval(() => response.write(' '.repeat(100)), 100);
    response.on('close', () => clearInterval(timer));
  },
  '/silent': () => {},
  '/polls': html('<h1>polls</h1><script>setInterval(() => fetch("/next"), 100)</script>'),
};

export async function startPageSite(): Promise<PageSite> {
  const asked: PageSite['asked'] = [];
  const server = createServer((request, response) => {
    const path = request.url ?? '';
    asked.push({ path, headers: request.headers });
    const answer = pages[path.split('?', 1)[0] as string];
    if (answer) answer(response, request);
    else response.writeHead(404).end('nothing here');
  });
  const port = await listen(server);
  return {
    origin: `http://127.0.0.1:${port}`,
    asked,
    [Symbol.asyncDispose]: () => closeServer(server),
  };
}
