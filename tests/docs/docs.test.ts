import { existsSync, globSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { errorHelp } from '@turnpike/contract/error-help';
import { type ErrorName, errors } from '@turnpike/contract/errors';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { TestAccount } from '../fixtures/gateway/gateway.ts';
import { listen } from '../fixtures/network/listen.ts';
import { startWebServer, type WebServer } from '../fixtures/network/web-server.ts';
import { scratchDirectory } from '../fixtures/process/scratch-directory.ts';
import { type SharedService, sharedService } from '../fixtures/service/shared-service.ts';
import { documentSamples, run, runSample, shown } from '../fixtures/suite/doc-samples.ts';
import { watchLeaks } from '../fixtures/suite/leaks.ts';
import { quickWhere, testEach } from '../fixtures/suite/matrix.ts';

watchLeaks({ wholeFile: true });

const root = join(import.meta.dirname, '../..');
const samples = documentSamples();
const runnable = samples.filter(({ mark }) => mark === 'run');

describe('what is written is run, on one running service:', () => {
  let web: WebServer;
  let service: SharedService;
  let account: TestAccount;
  let env: Record<string, string>;
  beforeAll(async () => {
    web = await startWebServer();
    service = await sharedService();
    account = await service.account({ creates_per_minute: 1000 });
    env = {
      TURNPIKE_URL: service.gatewayUrl,
      TURNPIKE_API_KEY: account.key,
      TURNPIKE_STATS_TOKEN: account.statsToken,
      TURNPIKE_PROXY: account.proxy,
    };
  });
  afterAll(async () => {
    await service[Symbol.asyncDispose]();
    await web[Symbol.asyncDispose]();
  });
  // Whoever copies a sample must not be left with a browser that runs on.
  afterEach(() => expect.poll(async () => (await account.get('/api/browsers')).json).toEqual([]));

  // The README's are those that newcomers run.
  testEach(quickWhere(runnable, ({ place }) => place.startsWith('README')))('$place', async (sample) => {
    const replacements = {
      'https://example.com/': `${web.origin}/`,
      'http://127.0.0.1:8080': service.gatewayUrl,
    };
    const printed = await runSample(sample, env, replacements);
    if (sample.output !== undefined) {
      const output = sample.output.replaceAll('Example Domain', 'Turnpike test page');
      expect(printed.trim()).toMatch(shown(output));
    }
  });

  const example = (name: string, ...args: string[]) =>
    run(process.execPath, [join(root, 'examples/node', name), ...args], env);

  test('examples/node/playwright.mjs', { tags: 'slow' }, async () => {
    await using directory = await scratchDirectory('picture');
    const picture = join(directory.path, 'page.png');
    expect(await example('playwright.mjs', `${web.origin}/`, picture)).toBe('Turnpike test page\n');
    expect(readFileSync(picture).subarray(1, 4).toString()).toBe('PNG');
  });

  test('examples/node/puppeteer.mjs', { tags: 'slow' }, async () => {
    expect(await example('puppeteer.mjs', `${web.origin}/`)).toBe('true\n');
  });

  test('examples/node/selenium.mjs', { tags: 'slow' }, async () => {
    expect(await example('selenium.mjs', `${web.origin}/`)).toBe('Turnpike test page\nIt works\n');
  });

  test('examples/node/agent.mjs, with a model that knows its lines', { tags: 'slow' }, async () => {
    const lines = [
      '{"action":"click","element":7}',
      `{"action":"goto","url":"${web.origin}/?second"}`,
      '{"action":"done","answer":"It works"}',
    ];
    const asked: string[] = [];
    const model = createServer(async (request, response) => {
      const { messages } = JSON.parse((await Array.fromAsync(request)).join(''));
      asked.push(messages.at(-1).content);
      const content = lines.shift();
      response.end(JSON.stringify({ choices: [{ message: { content } }] }));
    });
    await listen(model);
    env['MODEL_URL'] = `http://127.0.0.1:${(model.address() as AddressInfo).port}/`;
    try {
      expect(await example('agent.mjs', 'Does it work?', `${web.origin}/`)).toBe('It works\n');
    } finally {
      model.close();
      model.closeAllConnections();
    }
    expect(asked[0]).toContain('Turnpike test page\n\nIt works');
    expect(asked[1]).toContain('That did not work: there is no element 7');
    expect(asked[2]).toContain(`${web.origin}/?second`);
  });
});

test('every script in the documents is run, or says that it is a sketch', () => {
  const scripts = samples.filter(({ language }) => ['js', 'ts', 'sh', 'go'].includes(language));
  expect(scripts.length).toBeGreaterThan(8);
  const unsaid = scripts.filter(({ mark }) => mark !== 'run' && mark !== 'sketch');
  expect(unsaid.map(({ place }) => place)).toEqual([]);
});

test('the README says what it is, the first five minutes and where to go on, in 1,200 words', () => {
  const words = readFileSync(join(root, 'README.md'), 'utf8').split(/\s+/);
  expect(words.length).toBeLessThanOrEqual(1200);
});

test('every error of the API is explained', () => {
  const text = readFileSync(join(root, 'docs/limits-and-errors.md'), 'utf8');
  for (const name of Object.keys(errorHelp) as ErrorName[]) {
    const spec = errors[name];
    expect(text).toContain('code' in spec ? `\`${spec.code}\`` : spec.message);
  }
});

test('links between the documents lead somewhere', () => {
  const files = globSync(['README.md', 'CONTRIBUTING.md', 'docs/**/*.md', 'examples/*.md'], { cwd: root });
  const broken = files.flatMap((file) => {
    const text = readFileSync(join(root, file), 'utf8');
    return [...text.matchAll(/\]\((?!https?:)([^)#\s]*)(#[^)\s]*)?\)/g)].flatMap(([, path = '', anchor]) => {
      const target = path === '' ? file : join(dirname(file), path);
      if (!existsSync(join(root, target))) return [`${file}: ${path}`];
      return anchor && !anchors(target).has(anchor) ? [`${file}: ${path}${anchor}`] : [];
    });
  });
  expect(broken).toEqual([]);
});

/** As GitHub makes them of headings. */
function anchors(file: string): Set<string> {
  const headings = readFileSync(join(root, file), 'utf8').matchAll(/^#+ (.+)$/gm);
  return new Set(
    [...headings].map(
      ([, heading = '']) =>
        `#${heading
          .toLowerCase()
          .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
          .replaceAll(' ', '-')}`,
    ),
  );
}
