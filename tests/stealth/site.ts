import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface StealthSite extends AsyncDisposable {
  /** One site; the other is `otherOrigin`. */
  origin: string;
  otherOrigin: string;
}

/**
 * Looks for a CDP client as public detectors do: what Chromium reads of what is written to the console (Brotector,
 * rebrowser-bot-detector, fpscanner), and which words are in the stack of a call or on the window.
 */
export const probeScript = `
const found = { console: 0, calls: [], words: [] };
const lookAt = (console) => {
  let names = 0;
  const { name } = Error.prototype;
  Object.defineProperty(Error.prototype, 'name', { configurable: true, get: () => { names += 1; return name; } });
  console.debug(new Error(''));
  Object.defineProperty(Error.prototype, 'name', { configurable: true, writable: true, value: name });
  let prepared = 0;
  const { prepareStackTrace } = Error;
  Error.prepareStackTrace = () => { prepared += 1; return ''; };
  console.debug(new Error('x'));
  Error.prepareStackTrace = prepareStackTrace;
  let stacks = 0;
  const error = new Error();
  Object.defineProperty(error, 'stack', { get: () => { stacks += 1; return ''; } });
  console.debug(error);
  // Writing an error to the console reads its name once.
  found.console += Math.max(0, names - 1) + prepared + stacks;
};
lookAt(console);
setInterval(() => lookAt(console), 20);
`;

const pageProbe = `
const { getElementById } = document;
document.getElementById = function (id) {
  found.calls.push(new Error('here').stack);
  return getElementById.call(document, id);
};
const telling = /pptr:|puppeteer|playwright|UtilityScript|InjectedScript|__pw|cdc_/i;
const report = () => {
  for (const call of found.calls) if (telling.test(call)) found.words.push(call);
  for (const name of Object.getOwnPropertyNames(window)) if (telling.test(name)) found.words.push(name);
  return found;
};
`;

const pages: Readonly<Record<string, (otherOrigin: string) => string>> = {
  '/': (otherOrigin) => `<!doctype html><title>top</title><script>${probeScript}${pageProbe}</script>
    <h1 id="title">top</h1><button onclick="clicked = (globalThis.clicked ?? 0) + 1">Press</button>
    <input name="word"><a href="/next">next</a>
    <button id="opener" onclick="open('/child?popup')">Open</button>
    <iframe name="same" src="/child?same"></iframe>
    <iframe name="doc" srcdoc="<p id=word>srcdoc</p>"></iframe>
    <iframe name="blank"></iframe>
    <iframe name="cross" src="${otherOrigin}/child?cross"></iframe>
    <script>setTimeout(() => { const later = document.createElement('p'); later.id = 'later';
      later.textContent = 'later'; document.body.append(later); }, 100);</script>`,
  '/child': () => `<!doctype html><title>child</title><script>${probeScript}</script>
    <p id="word"></p><script>document.querySelector('#word').textContent = location.search.slice(1)</script>
    <button onclick="this.textContent = 'pressed'">Press</button>`,
  '/next': () => '<!doctype html><title>next</title><p id="word">next</p>',
  '/errors': () => `<!doctype html><script>
    addEventListener('load', () => {
      setTimeout(() => { throw new TypeError('thrown'); });
      setTimeout(() => { throw 5; });
      Promise.reject(new RangeError('rejected'));
    });</script>`,
  '/workers': () => `<!doctype html><script>
    new Worker('/worker.js?dedicated');
    new SharedWorker('/worker.js?shared');
    navigator.serviceWorker.register('/worker.js?service');</script>`,
  '/early': () => `<!doctype html><script>
    globalThis.answer = typeof ask === 'function' ? ask('early') : 'there is no function';</script>`,
  '/worker.js': () => `${probeScript}; globalThis.report = () => found;`,
};

export async function startStealthSite(): Promise<StealthSite> {
  let otherOrigin = '';
  const server = createServer(({ url = '/' }, response) => {
    const { pathname } = new URL(url, 'http://site.test');
    const content = pages[pathname]?.(otherOrigin);
    response.setHeader('cache-control', 'no-store');
    response.setHeader(
      'content-type',
      pathname.endsWith('.js') ? 'text/javascript' : 'text/html; charset=utf-8',
    );
    response.writeHead(content === undefined ? 404 : 200).end(content);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  otherOrigin = `http://127.0.0.1:${port}`;
  return {
    origin: `http://localhost:${port}`,
    otherOrigin,
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}
