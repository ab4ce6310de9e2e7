import { createServer } from 'node:http';
import { closeServer, listen } from '../fixtures/network/listen.ts';

export interface Site extends AsyncDisposable {
  origin: string;
}

/**
 * What every client does here: presses the button, fills the field, downloads, uploads, opens a second tab. Those of
 * the scenario list also use the frame, the prompt and the console.
 */
const shop = `<!doctype html><title>Shop</title>
<button id="press" onclick="this.textContent = 'pressed'">Press</button>
<label>Name <input id="name"></label>
<a id="report" href="/report.txt" download="report.txt">Report</a>
<label>Letter <input id="letter" type="file"></label>
<output id="out"></output> <output id="size"></output>
<iframe id="frame" src="/inner"></iframe>
<a id="second" href="/second" target="_blank">Second</a>
<button id="ask" onclick="out.textContent = prompt('Who?')">Ask</button>
<button id="log" onclick="console.log('a line')">Log</button>
<script>
  letter.onchange = async () => {
    const [file] = letter.files;
    size.textContent = file.size;
    out.textContent = file.name + ': ' + await file.slice(0, 8).text();
  };
</script>`;

const inner = `<!doctype html><button id="inside" onclick="this.textContent = 'inner'">Inside</button>`;

/** By path. Beside them, `/cookies` is the request's `Cookie` header. */
const pages: Record<string, [type: string, body: string]> = {
  '/': ['text/html; charset=utf-8', shop],
  '/second': ['text/html; charset=utf-8', '<!doctype html><title>Second</title><h1>Second</h1>'],
  '/inner': ['text/html; charset=utf-8', inner],
  '/made-up': ['text/plain', 'from the server'],
  '/report.txt': ['application/octet-stream', 'the report'],
};

export async function startSite(): Promise<Site> {
  const server = createServer((request, response) => {
    if (request.url === '/cookies') return response.end(request.headers.cookie ?? '');
    const [type, body] = pages[request.url ?? ''] ?? [];
    if (type === undefined) return response.writeHead(404).end();
    return response.setHeader('content-type', type).end(body);
  });
  const port = await listen(server);
  return {
    origin: `http://127.0.0.1:${port}`,
    [Symbol.asyncDispose]: () => closeServer(server),
  };
}
