import { createServer } from 'node:http';
import { closeServer, listen } from '../fixtures/network/listen.ts';

export interface StealthSite extends AsyncDisposable {
  /** One site; the other is `otherOrigin`. */
  origin: string;
  otherOrigin: string;
}

/** What a page has found of a client. */
export interface Found {
  /** How often Chromium read what was written to the console. */
  console: number;
  /** Stacks of calls by a client. */
  calls: string[];
  /** Words that tell a client. */
  words: string[];
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
setInterval(() => lookAt(console), 100);
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

/**
 * The checks of public detectors that look for a CDP client, each by its own name there: rebrowser-bot-detector's,
 * Brotector's, and fpscanner's `hasCDP`. `flags` has those that found one.
 */
const detectors = `
const flags = new Set();
const rebrowserConsole = () => {
  const error = new Error();
  Object.defineProperty(error, 'stack', { get: () => { flags.add('rebrowser runtimeEnableLeak'); return ''; } });
  console.debug(error);
};
const brotectorConsole = () => {
  const own = typeof console.context === 'function' ? console.context('Detector: ') : console;
  let [stacks, names] = [0, 0];
  const error = new Error();
  Object.defineProperty(error, 'stack', { get: () => { stacks += 1; return ''; } });
  own.debug(error);
  Object.defineProperty(Error.prototype, 'name', { configurable: true, get: () => { names += 1; return 'Error'; } });
  own.debug(new Error(''));
  Object.defineProperty(Error.prototype, 'name', { configurable: true, writable: true, value: 'Error' });
  if (stacks > 0 || names >= 2) flags.add('brotector runtime.enabled');
};
const fpscannerConsole = () => {
  const { prepareStackTrace } = Error;
  Error.prepareStackTrace = () => { flags.add('fpscanner hasCDP'); return ''; };
  console.log(new Error(''));
  Error.prepareStackTrace = prepareStackTrace;
};
const namesOnWindow = () => {
  if (window.__pwInitScripts !== undefined) flags.add('rebrowser pwInitScripts');
  for (const name in window) {
    if (/cdc_[a-z0-9]/i.test(name)) flags.add('brotector window.cdc');
    if (name.startsWith('puppeteer_') || name === '__playwright__binding__') flags.add('rebrowser exposeFunctionLeak');
  }
  if (String(window.exposed).includes('This is the Puppeteer binding')) flags.add('rebrowser exposeFunctionLeak');
};
const { getElementById } = document;
let calls = 0;
document.getElementById = function (id) {
  calls += 1;
  const { stack } = new Error('Detection Error');
  if (stack.includes('pptr:') || stack.includes('UtilityScript.')) flags.add('rebrowser sourceUrlLeak');
  return getElementById.call(document, id);
};
let rounds = 0;
setInterval(() => {
  rebrowserConsole(); brotectorConsole(); fpscannerConsole(); namesOnWindow();
  rounds += 1;
}, 20);
`;

const pages: Readonly<Record<string, (otherOrigin: string) => string>> = {
  '/': (otherOrigin) => `<!doctype html><title>top</title><script>${probeScript}${pageProbe}</script>
    <h1 id="title">top</h1><button onclick="clicked = (globalThis.clicked ?? 0) + 1">Press</button>
    <input name="word"><a href="/next">next</a>
    <button id="opener" onclick="window.open('/child?popup')">Open</button>
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
  '/detectors': () => `<!doctype html><title>detectors</title><script>${detectors}</script>
    <p id="title">here</p><button onclick="this.textContent = 'pressed'">Press</button>`,
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
  const port = await listen(server);
  otherOrigin = `http://127.0.0.1:${port}`;
  return {
    origin: `http://localhost:${port}`,
    otherOrigin,
    [Symbol.asyncDispose]: () => closeServer(server),
  };
}
