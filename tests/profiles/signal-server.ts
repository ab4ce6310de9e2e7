import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { closeServer, listen } from '../fixtures/network/listen.ts';
import { signalsExpression } from './signals.ts';

export interface SeenRequest {
  path: string;
  host: string;
  headers: IncomingHttpHeaders;
}

export interface SignalServer extends AsyncDisposable {
  /** One site; the other is on 127.0.0.1. */
  origin: string;
  requests: SeenRequest[];
}

/** High-entropy hints, so that requests say all that scripts can read. */
const acceptHints = [
  'sec-ch-ua-platform-version',
  'sec-ch-ua-full-version-list',
  'sec-ch-ua-model',
  'sec-ch-ua-arch',
  'sec-ch-ua-bitness',
  'sec-ch-ua-form-factors',
].join(', ');

/**
 * A site that gathers what every corner of a browser says: `/top` has a frame of its own site, one of another,
 * and the three kinds of worker, and opens a popup; each reads its signals in its first statement and sends them
 * to the top, where `gathered` holds them by name. What they fetch is seen here. With `?update` the service
 * worker's script is asked for twice.
 */
export async function startSignalServer(): Promise<SignalServer> {
  const requests: SeenRequest[] = [];
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://site.test');
    requests.push({ path: pathname, host: request.headers.host ?? '', headers: request.headers });
    response.setHeader('cache-control', 'no-store');
    response.setHeader('accept-ch', acceptHints);
    respond(pathname, searchParams.get('name') ?? '', (server.address() as AddressInfo).port, response);
  });
  const port = await listen(server);
  return {
    origin: `http://localhost:${port}`,
    requests,
    [Symbol.asyncDispose]: () => closeServer(server),
  };
}

function respond(path: string, name: string, port: number, response: ServerResponse): void {
  const content: Record<string, () => [type: string, body: string]> = {
    '/top': () => ['text/html', topPage(port)],
    '/frame': () => ['text/html', framePage(name, 'parent')],
    '/popup': () => ['text/html', framePage(name, 'opener')],
    '/speculating': () => ['text/html', speculatingPage],
    '/prefetched': () => ['text/html', aheadPage],
    '/prerendered': () => ['text/html', aheadPage],
    '/worker.js': () => [
      'text/javascript',
      `const first = ${signalsExpression}; first.then(async (s) => { await fetch('/from-worker'); postMessage(s); });`,
    ],
    '/shared.js': () => [
      'text/javascript',
      `const first = ${signalsExpression}; onconnect = ({ ports: [port] }) =>
         first.then(async (s) => { await fetch('/from-shared'); port.postMessage(s); });`,
    ],
    '/service.js': () => [
      'text/javascript',
      `const first = ${signalsExpression}; oninstall = () => skipWaiting();
       onmessage = ({ source }) => first.then(async (s) => { await fetch('/from-service'); source.postMessage(s); });`,
    ],
  };
  const found = content[path]?.();
  if (!found) return void response.writeHead(path.startsWith('/from-') ? 204 : 404).end();
  response.setHeader('content-type', `${found[0]}; charset=utf-8`);
  response.end(found[1]);
}

function topPage(port: number): string {
  return `<!doctype html><title>signals</title><script>
const gathered = {};
const take = (name) => (signals) => { gathered[name] = signals; };
${signalsExpression}.then(take('top'));
addEventListener('message', ({ data }) => { if (data.name) gathered[data.name] = data.signals; });
new Worker('/worker.js').onmessage = ({ data }) => take('worker')(data);
new SharedWorker('/shared.js').port.onmessage = ({ data }) => take('shared')(data);
navigator.serviceWorker.onmessage = ({ data }) => take('service')(data);
navigator.serviceWorker.register('/service.js').then(() => navigator.serviceWorker.ready)
  .then((registration) => location.search === '?update' ? registration.update() : registration)
  .then(({ active }) => active.postMessage('tell'));
const openPopup = () => void open('/popup?name=popup');
</script>
<iframe src="/frame?name=frame"></iframe>
<iframe src="http://127.0.0.1:${port}/frame?name=cross"></iframe>`;
}

/** Has its next pages made ready before they are asked for. */
const speculatingPage = `<!doctype html><script type="speculationrules">
{ "prefetch": [{ "source": "list", "urls": ["/prefetched"], "eagerness": "immediate" }],
  "prerender": [{ "source": "list", "urls": ["/prerendered"], "eagerness": "immediate" }] }
</script>`;

/** `first` is what its first script sees, whenever it runs. */
const aheadPage = `<!doctype html><script>const first = ${signalsExpression};</script>`;

function framePage(name: string, to: string): string {
  return `<!doctype html><script>
${signalsExpression}.then((signals) => ${to}.postMessage({ name: '${name}', signals }, '*'));
</script>`;
}
