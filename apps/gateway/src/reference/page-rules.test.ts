// biome-ignore-all lint/suspicious/noTemplateCurlyInString: samples have variables of shells and of other templates
import { describe, expect, test } from 'vitest';
import { fillIn, masked } from './page/fill-in.ts';
import { find } from './page/find.ts';

const key = `tp_live_${'0a'.repeat(32)}`;
const values = {
  TURNPIKE_URL: 'https://gateway.example',
  TURNPIKE_API_KEY: key,
  TURNPIKE_PROXY: 'http://user:p%24ss@proxy.example:3128',
};

describe("the reader's values", () => {
  test.each([
    [
      'sh',
      'curl -H "x-api-key: $TURNPIKE_API_KEY" "${TURNPIKE_URL}/a"',
      `curl -H "x-api-key: ${key}" "https://gateway.example/a"`,
    ],
    [
      '',
      'export TURNPIKE_URL=http://127.0.0.1:8080\nexport TURNPIKE_API_KEY=tp_live_…',
      `export TURNPIKE_URL=https://gateway.example\nexport TURNPIKE_API_KEY=${key}`,
    ],
    [
      'json',
      '{ "TURNPIKE_URL": "http://127.0.0.1:8080", "x-api-key": "tp_live_…" }',
      `{ "TURNPIKE_URL": "https://gateway.example", "x-api-key": "${key}" }`,
    ],
    ['js', 'f(process.env.TURNPIKE_URL);', "f('https://gateway.example');"],
    ['python', 'Turnpike(os.environ["TURNPIKE_URL"])', 'Turnpike("https://gateway.example")'],
    // These are other names, and parts of what the shell or the template does with a value.
    [
      'sh',
      '$TURNPIKE_URLS ${TURNPIKE_URL/http/ws} $TURNPIKE_PROXY_ALLOW',
      '$TURNPIKE_URLS ${TURNPIKE_URL/http/ws} $TURNPIKE_PROXY_ALLOW',
    ],
    ['js', 'const url = `${TURNPIKE_URL.replace()}`;', 'const url = `${TURNPIKE_URL.replace()}`;'],
    ['', 'TURNPIKE_PROXY_ALLOW=10.0.0.0/8', 'TURNPIKE_PROXY_ALLOW=10.0.0.0/8'],
  ])('in %s: %s', (language, code, filled) => {
    expect(fillIn(code, language, values)).toBe(filled);
  });

  test('in the variables that a script takes from its environment', () => {
    const code =
      'const { TURNPIKE_URL: endpoint, TURNPIKE_API_KEY: apiKey } = process.env;\nconsole.log(endpoint, apiKey);';
    const filled = fillIn(code, 'js', values);
    const printed: unknown[] = [];
    new Function('console', 'process', filled)(
      { log: (...all: unknown[]) => printed.push(...all) },
      { env: {} },
    );
    expect(printed).toEqual(['https://gateway.example', key]);
  });

  test('that are missing, or that would need quotes, leave the sample as it is', () => {
    const code = 'curl "$TURNPIKE_URL/connect?proxy=$TURNPIKE_PROXY"';
    expect(fillIn(code, 'sh', {})).toBe(code);
    for (const proxy of [
      'http://a:"b@c',
      'http://a:$(id)@c',
      'http://a:`id`@c',
      "http://a:'@c",
      'http://a:\\@c',
      'a b',
    ]) {
      expect(fillIn(code, 'sh', { TURNPIKE_PROXY: proxy })).toBe(code);
    }
  });

  test('are shown without what is secret', () => {
    expect(masked(values)).toEqual({
      TURNPIKE_URL: 'https://gateway.example',
      TURNPIKE_API_KEY: 'tp_live_0a0a…',
      TURNPIKE_PROXY: 'http://user:…@proxy.example:3128',
    });
    expect(fillIn('$TURNPIKE_API_KEY', 'sh', masked(values))).toBe('tp_live_0a0a…');
  });
});

describe('the search', () => {
  const entries = [
    { page: 'Proxies', heading: '', url: '/docs/proxies', text: 'Which proxies you can use.' },
    {
      page: 'Proxies',
      heading: 'The check',
      url: '/docs/proxies#the-check',
      text: 'SOCKS5 with credentials (RFC 1929).',
    },
    {
      page: 'Files',
      heading: 'Upload',
      url: '/docs/files#upload',
      text: `${'a word '.repeat(40)}TURNPIKE_PROXY_ALLOW ${'and more '.repeat(40)}`,
    },
  ];
  const urls = (query: string) => find(entries, query).map(({ url }) => url);

  test('finds what has every word, titles first', () => {
    expect(urls('prox')).toEqual(['/docs/proxies', '/docs/proxies#the-check', '/docs/files#upload']);
    expect(urls('proxies check')).toEqual(['/docs/proxies#the-check']);
    expect(urls('socks5 upload')).toEqual([]);
  });

  test('takes words from their beginning, and no pattern', () => {
    expect(urls('roxies')).toEqual([]);
    expect(urls('(rfc')).toEqual(['/docs/proxies#the-check']);
    expect(urls('.*')).toEqual([]);
    expect(urls('[')).toEqual([]);
    expect(urls('  ')).toEqual([]);
  });

  test('shows the words where they are', () => {
    const [found] = find(entries, 'proxy_allow');
    expect(found?.excerpt).toMatch(/^… .*TURNPIKE_PROXY_ALLOW.* …$/);
    expect(found?.excerpt.length).toBeLessThan(130);
  });
});
