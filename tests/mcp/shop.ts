import { createServer } from 'node:http';
import { closeServer, listen } from '../fixtures/network/listen.ts';

export interface Shop extends AsyncDisposable {
  url: string;
}

const front = `<!doctype html><title>Shop</title>
<h1>Welcome</h1><p style="display:none">Not for your eyes</p><script>var unread = 1</script>
<p>See <a href="/about">about us</a>.</p>
<table><thead><tr><th>Thing</th><th>Price</th></tr></thead><tbody><tr><td>Lamp</td><td>12</td></tr></tbody></table>
<form action="/found"><label>Search <input name="q"></label><button>Go</button></form>
<button onclick="document.querySelector('h1').textContent = 'Clicked'">Greet</button>`;

/** A website with what an agent meets: text, a table, a form, a long page. */
export async function startShop(): Promise<Shop> {
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://shop.test');
    const pages: Record<string, string> = {
      '/': front,
      '/found': `<!doctype html><title>Found</title><p>You looked for ${searchParams.get('q')}.</p>`,
      '/long': `<!doctype html><title>Long</title>${'<p>again and again</p>'.repeat(3000)}`,
    };
    const page = pages[pathname];
    response.writeHead(page ? 200 : 404, { 'content-type': 'text/html' }).end(page ?? 'Not found');
  });
  await listen(server);
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('not listening on TCP');
  return {
    url: `http://127.0.0.1:${address.port}`,
    [Symbol.asyncDispose]: () => closeServer(server),
  };
}
