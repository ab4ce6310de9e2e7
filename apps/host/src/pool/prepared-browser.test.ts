import { Upstream } from '@turnpike/tunnel/upstream';
import { expect, it } from 'vitest';
import { startSquid } from '../../../../tests/fixtures/network/squid.ts';
import { startWebServer } from '../../../../tests/fixtures/network/web-server.ts';
import { watchLeaks } from '../../../../tests/fixtures/suite/leaks.ts';
import { onlyRoute } from '../testing/only-route.ts';
import { startTestBrowser } from '../testing/test-browser.ts';

watchLeaks();

it.each(['headless', 'headful'] as const)(
  'a %s browser that has no proxy reaches nothing, and everything once it has one',
  async (shape) => {
    await using web = await startWebServer();
    await using squid = await startSquid();
    await using prepared = await startTestBrowser({ headless: shape === 'headless' });
    const ask = (scheme: string) =>
      prepared.run(
        `fetch('${scheme}://127.0.0.1:${web.port}/', { mode: 'no-cors' }).then(() => 'answered', () => 'failed')`,
      );
    expect(await ask('http')).toBe('answered'); // By the forwarder, which says that it cannot.
    expect(await ask('https')).toBe('failed');
    expect(web.requests).toEqual([]);
    const { port } = squid;
    const proxy = { scheme: 'http', host: 'localhost', port, addresses: ['127.0.0.1'] } as const;
    prepared.forwarder.bind(onlyRoute(new Upstream(proxy, 5000)));
    expect(await ask('http')).toBe('answered');
    expect(web.requests).toHaveLength(1);
    expect(() => prepared.forwarder.bind(onlyRoute(new Upstream(proxy, 5000)))).toThrow();
  },
);
