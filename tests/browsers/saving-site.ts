import type { ServerResponse } from 'node:http';
import type { WorldRequest } from '../fixtures/network/world-proxy.ts';

/** A page with everything that `block` is about, and one with what a cache is about. Each host has the same files. */

export const page = { largeBytes: 200_000, taggedBytes: 50_000 };

const done = '<script>addEventListener("load", () => { window.done = true })</script>';

const files: Readonly<Record<string, string>> = {
  '/all.html': `<!doctype html><link rel="stylesheet" href="/style.css"><script src="/script.js"></script>
    <style>@font-face { font-family: own; src: url(/font.woff2) } p { font-family: own }</style>
    <p>Some text</p><img src="/image.png"><video src="/film.mp4" preload="auto"></video>
    <iframe src="/frame.html"></iframe><iframe src="http://other.test/frame.html"></iframe>
    <iframe srcdoc="<img src='/inner.png'>"></iframe><iframe src="http://ads.test/frame.html"></iframe>
    <script src="http://ads.test/ad.js"></script><script src="/routed.js"></script>
    <script>
      new WebSocket('ws://ads.test/');
      const worker = new Worker('/worker.js');
      worker.onmessage = () => document.fonts.load('10px own').catch(() => {}).then(() => { window.done = true; });
    </script>`,
  '/frame.html': `<!doctype html><img src="/framed.png">${done}`,
  '/script.js': '',
  '/worker.js': `Promise.allSettled(['http://count.test/1', '/own.txt'].map((url) => fetch(url, { mode: 'no-cors' })))
    .then(() => postMessage(''))`,
  '/workers.html': `<!doctype html><iframe src="http://other.test/worker.html"></iframe><script>
    const told = (port) => new Promise((resolve) => { port.onmessage = resolve; });
    (async () => {
      await navigator.serviceWorker.register('/service.js');
      const { active } = await navigator.serviceWorker.ready;
      if (!navigator.serviceWorker.controller) {
        await new Promise((resolve) => { navigator.serviceWorker.oncontrollerchange = resolve; });
      }
      const service = told(navigator.serviceWorker);
      active.postMessage('');
      await service;
      await told(new SharedWorker('/shared.js').port);
      const load = (tag, more) => new Promise((resolve) => {
        const element = Object.assign(document.createElement(tag), more);
        element.onload = element.onerror = element.onloadedmetadata = resolve;
        document.head.append(element);
      });
      await load('img', { src: '/passed.png' });
      await load('link', { rel: 'stylesheet', href: '/passed.css' });
      await load('video', { src: '/passed.mp4', preload: 'auto' });
      await new FontFace('passed', 'url(/passed.woff2)').load().catch(() => {});
      window.done = true;
    })();
  </script>`,
  '/worker.html': '<!doctype html><script>new Worker("/worker.js")</script>',
  '/service.js': `oninstall = () => skipWaiting();
    onactivate = (event) => event.waitUntil(clients.claim());
    onfetch = (event) => event.respondWith(fetch(event.request));
    onmessage = async ({ source }) => {
      const urls = ['http://ads.test/service.txt', '/own.txt?service'];
      await Promise.allSettled(urls.map((url) => fetch(url, { mode: 'no-cors' })));
      source.postMessage('');
    };`,
  '/shared.js': `onconnect = async ({ ports: [port] }) => {
      const urls = ['http://ads.test/shared.txt', '/own.txt?shared'];
      await Promise.allSettled(urls.map((url) => fetch(url, { mode: 'no-cors' })));
      port.postMessage('');
    };`,
  '/shop.html': `<!doctype html><p></p><script src="/large.js"></script><script src="/tag.js"></script>${done}`,
  '/large.js': `document.querySelector('p').textContent += 'large';//`.padEnd(page.largeBytes, 'x'),
  '/tag.js': `document.querySelector('p').textContent += ' tag';//`.padEnd(page.taggedBytes, 'x'),
};

const types: Readonly<Record<string, string>> = {
  html: 'text/html',
  js: 'text/javascript',
  css: 'text/css',
  png: 'image/png',
  mp4: 'video/mp4',
  woff2: 'font/woff2',
};

export function respond({ path, headers }: WorldRequest, response: ServerResponse): void {
  const body = files[path] ?? 'nothing much';
  response.setHeader('content-type', types[/\.(\w+)$/.exec(path)?.[1] ?? ''] ?? 'text/plain');
  response.setHeader('cache-control', path === '/large.js' ? 'max-age=3600' : 'no-cache');
  if (path === '/tag.js') {
    response.setHeader('etag', '"1"');
    if (headers['if-none-match'] === '"1"') {
      response.writeHead(304).end();
      return;
    }
  }
  response.setHeader('content-length', Buffer.byteLength(body));
  response.end(body);
}
