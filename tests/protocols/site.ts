import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Site extends AsyncDisposable {
  origin: string;
  /** Paths that were asked for, oldest first. */
  asked: string[];
}

/** What every client does here: presses, types, looks into a frame, answers a prompt, uploads, downloads, opens a tab. */
const shop = `<!doctype html><title>Shop</title>
<button id="press" onclick="this.textContent = 'pressed'; console.log('pressed', 7)">Press</button>
<button id="ask" onclick="out.textContent = String(confirm('Sure?'))">Ask</button>
<label>Name <input id="name"></label>
<a id="report" href="/report.txt" download="report.txt">Report</a>
<a id="second" href="/second" target="_blank">Second</a>
<label>Letter <input id="letter" type="file"></label>
<iframe id="frame" src="/frame"></iframe>
<output id="out"></output>
<script>
  document.cookie = 'visited=yes';
  letter.onchange = async () => {
    const [file] = letter.files;
    out.textContent = file.name + ': ' + file.size + ' ' + (await file.slice(0, 20).text());
  };
</script>`;

const html = 'text/html; charset=utf-8';
const pages: Record<string, [type: string, body: string]> = {
  '/': [html, shop],
  '/frame': [html, '<!doctype html><p id="inner">inner text</p>'],
  '/second': [html, '<!doctype html><title>Second</title><h1>Second</h1>'],
  '/report.txt': ['application/octet-stream', 'the report'],
};

export async function startSite(): Promise<Site> {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? '');
    const [type, body] = pages[request.url ?? ''] ?? [];
    if (type === undefined) return response.writeHead(404).end();
    return response.setHeader('content-type', type).end(body);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}
