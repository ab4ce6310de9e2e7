import { idempotencyKeyPattern } from '@turnpike/contract/create';
import { isDeeperThan, parseBoundedJson } from '@turnpike/process/bounded-json';
import { parseProductMap } from '@turnpike/tunnel/addresses/product-map';
import { lineReader } from '../../../apps/cli/src/operator/usage-lines.ts';
import { splitBatch } from '../../../apps/gateway/src/bandwidth/ingest-usage.ts';
import { parseExactly, parseUsageRecord } from '../../../apps/gateway/src/bandwidth/usage-record.ts';
import { readLaunch } from '../../../apps/gateway/src/browserless/launch-options.ts';
import { readCallBody } from '../../../apps/gateway/src/browserless/read-call-body.ts';
import { browserlessUrl } from '../../../apps/gateway/src/browserless/shared-paths.ts';
import {
  parseConnectQuery,
  parseCreateBody,
} from '../../../apps/gateway/src/creates/parameters/create-params.ts';
import { createWarnings } from '../../../apps/gateway/src/creates/parameters/create-warnings.ts';
import { pathTrouble } from '../../../apps/gateway/src/extensions/package/package-path.ts';
import { protoFields } from '../../../apps/gateway/src/extensions/package/proto-fields.ts';
import { readZip } from '../../../apps/gateway/src/extensions/package/zip-archive.ts';
import { csvLine, wantsCsv } from '../../../apps/gateway/src/http/answers/csv.ts';
import { PageFile } from '../../../apps/gateway/src/http/answers/page-file.ts';
import { parsePage } from '../../../apps/gateway/src/http/page-query.ts';
import { readableUrl } from '../../../apps/gateway/src/http/readable-url.ts';
import { crossSiteRule } from '../../../apps/gateway/src/http/same-origin.ts';
import { readShareToken } from '../../../apps/gateway/src/recordings/share-link.ts';
import { Sealer } from '../../../apps/gateway/src/secrets/sealer.ts';
import { containing } from '../../../apps/gateway/src/store/containing.ts';
import { parseExactJson } from '../../../apps/gateway/src/store/exact-json.ts';
import { presentedDevice, presentedToken } from '../../../apps/gateway/src/users/cookie.ts';
import { knownDevice } from '../../../apps/gateway/src/users/device.ts';
import { fileTarget } from '../../../apps/host/src/files/answer-files.ts';
import { refusedHosts } from '../../../apps/host/src/saving/filter-list.ts';
import { errorOf } from '../../../packages/client/src/transport/answer-error.ts';
import { readEventStream } from '../../../packages/client/src/transport/event-stream.ts';
import { parseJson } from '../../../packages/client/src/transport/exact-json.ts';
import { apiKeyOf, isLocal } from '../../../packages/mcp/src/http-request.ts';
import { cut } from '../../../packages/mcp/src/read-page.ts';
import { refusal } from '../../../packages/mcp/src/tool-answers.ts';
import { bytesOf, type Reader } from '../reader.ts';

/** Says that the list of an archive's 5000 files begins at its start. */
const endOfZip = `PK\x05\x06\0\0\0\0\x88\x13\x88\x13${'\0'.repeat(10)}`;
const sealer = new Sealer(Buffer.alloc(32));
const jsonTokens = ['{"a":1},', '1,', '"a":', '\\u0041', '12345678901234567890,', '[', '{'];
const proxy = 'http://a.test:1';

export const gatewayReaders: Reader[] = [
  {
    name: 'JSON of a body',
    tokens: jsonTokens,
    around: [
      ['', ''],
      ['[', '0]'],
      ['{"a":"', '"}'],
    ],
    read: (text) => [isDeeperThan(text, 32), parseBoundedJson(text)],
  },
  { name: 'depth of JSON', tokens: jsonTokens, read: (text) => isDeeperThan(text, 1e9) },
  {
    name: 'exact JSON',
    tokens: jsonTokens,
    around: [['[', '0]']],
    read: (text) => [parseExactJson(text), parseExactly(text), parseJson(text)],
  },
  {
    name: 'archive of an extension',
    tokens: ['PK\x01\x02', 'PK\x05\x06', 'a/', '../'],
    around: [
      ['', ''],
      ['', endOfZip],
    ],
    read: (text) => readZip(bytesOf(text)),
  },
  {
    name: 'query of Browserless',
    tokens: ['token=', '&', '--a=', '/', ':8', '","--a', 'http://'],
    around: [
      ['', ''],
      ['{"args":["', '"]}'],
      ['/sessions?', ''],
    ],
    read: (text) => [
      browserlessUrl({ url: text, headers: {} }),
      readLaunch({ '--proxy-server': text, '--user-data-dir': text, '--window-size': text }),
      readLaunch({ launch: JSON.stringify({ proxy: { server: text, username: text } }) }),
      readLaunch({ launch: text }),
    ],
  },
  {
    name: 'body of Browserless',
    tokens: ['"a":1,', '{"name":"a"},', '"image",', '[', '{'],
    around: [
      ['{"url":"a",', '"b":1}'],
      ['{"url":"a","cookies":[', '{}]}'],
      ['{"url":"a","rejectResourceTypes":[', '"a"]}'],
    ],
    read: (text) => readCallBody('content', JSON.parse(text)),
  },
  { name: 'path in an extension', tokens: ['/', 'a/', '..'], read: pathTrouble },
  {
    name: 'header of a crx file',
    tokens: ['\x12\x01', '\x0a\x00', '\x80'],
    read: (text) => protoFields(bytesOf(text)),
  },
  {
    name: 'usage record',
    tokens: ['-product-', '@', '.', 'T', 'Z'],
    read: (text) => [
      parseUsageRecord({ id: 'a', account: text, product: text, country: text, bytes: text, at: text }, 0),
      parseUsageRecord({ id: text, proxyUser: text, bytes: 1, at: text }, 0),
      parseUsageRecord({ id: 'a', account: 'b', bytes: 1, at: text }, 0),
    ],
  },
  {
    name: 'batch of usage',
    tokens: ['\n', '{"id":"a"}\n', '"a",'],
    // A refusal of each line takes longer than its bytes.
    read: (text) => splitBatch(Buffer.from(text)).slice(0, 20).map(parseQuietly),
  },
  {
    name: 'usage lines',
    tokens: ['""', ',', '",', ',"', '-product-'],
    read: (text) => {
      const csv = lineReader('csv');
      return [csv('id,account,bytes'), csv(text), lineReader('squid')(text)];
    },
  },
  {
    name: 'cookies',
    tokens: [';', '=', 'turnpike_session=', 'turnpike_device=; '],
    read: (text) => [presentedToken(text), presentedDevice(text)],
  },
  {
    name: 'device cookie',
    tokens: ['.', '-', '_', '='],
    read: (text) => knownDevice(sealer, 'a@example.com', text),
  },
  { name: 'cursor', tokens: ['MTIz', '.', '1.'], read: (text) => parsePage({ limit: '5', cursor: text }) },
  { name: 'share link', tokens: ['br_', '.', 'br_0.1.'], read: (text) => readShareToken(sealer, text, 0) },
  { name: 'CSV', tokens: ['=', '+', '""', '\r'], read: (text) => csvLine([text, null, 1]) },
  { name: 'Accept header', tokens: ['text/csv;', 'q=0.1,', ';', 'q=', '*/*,'], read: wantsCsv },
  {
    name: 'Accept-Encoding header',
    tokens: ['gzip', 'gzi', 'br', ';q=0.5,', 'q=', ';'],
    read: (text) => new PageFile('text/html', Buffer.alloc(0)).encodingFor(text),
  },
  { name: 'Idempotency-Key', tokens: ['~', 'k'], read: (text) => idempotencyKeyPattern.test(text) },
  {
    name: 'path',
    tokens: ['%41', '%', '/', '?', '%zz'],
    around: [
      ['/', ''],
      ['/%', ''],
    ],
    read: (url) => [readableUrl({ url }), fileTarget(url)],
  },
  { name: 'path of a file', tokens: ['%41', '/', '?'], around: [['/cdp/br_0/files/', '']], read: fileTarget },
  {
    name: 'origin',
    tokens: ['http://', ':', ';', 'application/json'],
    read: (text) =>
      crossSiteRule({ origin: text, 'content-type': text, 'sec-fetch-site': text }, text, 'application/json'),
  },
  { name: 'search text', tokens: ['%', '_', '\\%'], read: (text) => containing(['a', 'b'], text) },
  ...[
    'proxy',
    'browser_language',
    'metadata',
    'allow_hosts',
    'block',
    'os',
    'maxLifetime',
    'region',
    'profile',
    'name',
    'tags',
    'screen_max_width',
  ].map(
    (name): Reader => ({
      name: `create parameter ${name}`,
      tokens: ['en-US,', ';q=0.1,', 'a-', '*.', 'a.test,', '{"a":1},', 'http://', '@', 'ads,'],
      around: [
        ['', ''],
        ['en', ''],
      ],
      maxSize: 2 ** 14,
      read: (text) => [
        parseQuietly(() => parseConnectQuery({ proxy, [name]: text })),
        parseCreateBody({ proxy, [name]: text }),
      ],
    }),
  ),
  {
    name: 'names that a create has by mistake',
    tokens: ['headles', '&', '_', '-', 'saveprofile&'],
    read: (text) => createWarnings(Object.fromEntries(text.split('&').map((name) => [name, text]))),
  },
  {
    name: 'list of hosts of a create',
    tokens: ['"a.test",', '"*.b.test",'],
    around: [['["', '"]']],
    read: (text) => parseCreateBody({ proxy, allow_hosts: JSON.parse(text.replaceAll('\x01', 'x')) }),
  },
  { name: 'filter list', tokens: ['||a.test^\n', '@@||a.test^\n', '||', 'a.', '^'], read: refusedHosts },
  {
    name: 'product map',
    tokens: ['http://', '@', '{country}', '"residential":'],
    around: [
      ['{"residential":{"proxy":"http://', ':1"}}'],
      ['', ''],
    ],
    read: parseProductMap,
  },
  {
    name: 'event stream',
    maxSize: 2 ** 14,
    tokens: ['data: ', 'data:a\n', ':\n', 'id: 1\n', '\n\n', '\r'],
    read: async (text) => {
      for await (const _ of readEventStream(chunksOf(text)));
    },
  },
  {
    name: 'error answer',
    tokens: ['(', ')', '{"code":"', 'Session is '],
    around: [
      ['', ''],
      ['{"error":"', '"}'],
    ],
    read: (text) =>
      [403, 410, 422, 502].map((status) => errorOf({ status, headers: new Headers(), text }, 'create')),
  },
  {
    name: 'MCP request',
    tokens: ['Bearer ', 'http://', ':'],
    read: (text) => [
      isLocal({ headers: { host: text, origin: text } }),
      apiKeyOf({ headers: { authorization: text } }),
    ],
  },
  {
    name: 'MCP answer',
    tokens: ['br_', 'a://', '@', '\nCall log:', '\x1b['],
    read: (text) => refusal(new Error(text)),
  },
  { name: 'excerpt of a page', tokens: [], read: (text) => cut(text, { offset: 10, maxChars: 100 }) },
];

function parseQuietly(parse: () => unknown): unknown {
  try {
    return parse();
  } catch {
    return undefined;
  }
}

async function* chunksOf(text: string): AsyncGenerator<Uint8Array> {
  const bytes = bytesOf(text);
  for (let at = 0; at < bytes.length; at += 64) yield bytes.subarray(at, at + 64);
}
