import { createServer } from 'node:http';
import { closeServer, listen } from '../fixtures/network/listen.ts';

export interface Site extends AsyncDisposable {
  origin: string;
}

/** What every client does here: presses the button, fills the field, downloads, uploads, opens a second tab. */
const shop = `<!doctype html><title>Shop</title>
<button id="press" onclick="this.textContent = 'pressed'">Press</button>
<label>Name <input id="name"></label>
<a id="report" href="/report.txt" download="report.txt">Report</a>
<label>Letter <input id="letter" type="file"></label>
<output id="out"></output>
<script>
  letter.onchange = async () => {
    const [file] = letter.files;
    out.textContent = file.name + ': ' + await file.text();
  };
</script>`;

const pages: Record<string, [type: string, body: string]> = {
  '/': ['text/html; charset=utf-8', shop],
  '/second': ['text/html; charset=utf-8', '<!doctype html><title>Second</title><h1>Second</h1>'],
  '/report.txt': ['application/octet-stream', 'the report'],
};

export async function startSite(): Promise<Site> {
  const server = createServer((request, response) => {
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
