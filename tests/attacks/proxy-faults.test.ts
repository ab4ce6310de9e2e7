import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { watchLeaks } from '../fixtures/suite/leaks.ts';
import { testEach } from '../fixtures/suite/matrix.ts';
import type { RawPage } from './cdp.ts';
import type { Answers } from './customer-proxy.ts';
import { AttackHarness } from './harness.ts';

watchLeaks({ wholeFile: true });

let harness: AttackHarness;
let page: RawPage;

beforeAll(async () => {
  harness = await AttackHarness.open({ TURNPIKE_HOST_WARM_HEADFUL: '0' });
  harness.proxy.page('/', '<!doctype html><title>attack</title>');
  const client = await harness.attack(await harness.session({ headless: 'true' }));
  page = await client.page('http://localhost/');
});
afterAll(() => harness[Symbol.asyncDispose]());

/** Plain and tunnelled, to a site, to the host itself and by a context that prefers no proxy. */
async function browse(): Promise<Record<string, string>> {
  const status = (url: string) =>
    page.run(
      `fetch('${url}', { cache: 'no-store', signal: AbortSignal.timeout(5000) }).then((answer) => answer.text().then(() => answer.status), (error) => error.name).then(String, String)`,
    );
  const [plain, tunnelled, host] = await Promise.all([
    status('http://localhost/'),
    status('https://localhost/'),
    status('http://localhost:5432/'),
  ]);
  return { plain, tunnelled, host };
}

describe('when the proxy, in the middle of a session, answers', () => {
  testEach<[Answers]>({
    quick: [['with a reset'], ['not at all']],
    slow: [['with rubbish'], ['with half a page']],
  })('%s, the page has an error and nothing goes another way', async (answers) => {
    harness.proxy.reset();
    harness.proxy.answers = answers;
    const { plain, tunnelled } = await browse();
    expect(plain).toMatch(/^(TypeError|TimeoutError|AbortError)/);
    expect(tunnelled).toMatch(/^(TypeError|TimeoutError|AbortError)/);
    await harness.expectSealed();

    harness.proxy.reset();
    harness.proxy.answers = 'normally';
    expect(await page.go('http://localhost/')).toBe('');
    expect(await page.run('document.title')).toBe('attack');
    await harness.expectSealed();
  });
});

test('when the proxy dies, open pages and new ones have an error and nothing goes another way', async () => {
  const closed = page.run(`new Promise((resolve) => { const source = new EventSource('/events');
    source.onerror = () => resolve('closed'); setTimeout(resolve, 4000, 'open'); })`);
  harness.proxy.vanish();
  expect(await closed).toBe('closed');
  expect(await browse()).toMatchObject({
    plain: expect.stringMatching(/TypeError/),
    tunnelled: expect.stringMatching(/TypeError/),
  });
  expect(await page.go('http://localhost/')).toBe('net::ERR_CONNECTION_RESET');
  expect(await page.go('https://localhost/')).toMatch(/ERR_TUNNEL_CONNECTION_FAILED|ERR_PROXY/);
  await page.go('http://127.0.0.1:5432/');
  await harness.expectSealed({ proxyIsGone: true });
});
