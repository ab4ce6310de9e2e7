// @module-tag slow

import { idempotencyKeyPattern } from '@turnpike/contract/create';
import { createParameters } from '@turnpike/contract/create-parameters';
import { parseProxyUser } from '@turnpike/contract/proxy-user';
import { isDeeperThan, parseBoundedJson } from '@turnpike/process/bounded-json';
import { parseHostPattern } from '@turnpike/process/host-pattern';
import { describe, test } from 'vitest';
import { splitBatch } from '../../apps/gateway/src/bandwidth/ingest-usage.ts';
import { parseExactly, parseUsageRecord } from '../../apps/gateway/src/bandwidth/usage-record.ts';
import { csvLine, wantsCsv } from '../../apps/gateway/src/http/csv.ts';
import { PageFile } from '../../apps/gateway/src/http/page-file.ts';
import { readableUrl } from '../../apps/gateway/src/http/readable-url.ts';
import { HarWriter } from '../../apps/gateway/src/recordings/har.ts';
import { readShareToken } from '../../apps/gateway/src/recordings/share-link.ts';
import { Sealer } from '../../apps/gateway/src/secrets/sealer.ts';
import { parseConnectQuery } from '../../apps/gateway/src/sessions/create-params.ts';
import { parseParameter } from '../../apps/gateway/src/sessions/parse-parameter.ts';
import { parseExactJson } from '../../apps/gateway/src/store/exact-json.ts';
import { decodeCursor } from '../../apps/gateway/src/store/time-page.ts';
import { presentedDevice, presentedToken } from '../../apps/gateway/src/users/cookie.ts';
import { knownDevice } from '../../apps/gateway/src/users/device.ts';
import { expectLinear } from '../fixtures/suite/cost.ts';

/** What strangers and customers send is read in time that grows with its length, and no faster. */

const sealer = new Sealer(Buffer.alloc(32));
const cookie = '__Host-turnpike';
const quietly = (work: () => unknown) => {
  try {
    work();
  } catch {
    // A refusal has its cost too.
  }
};

const parsers: Record<string, (text: string) => unknown> = {
  'the depth of JSON': (text) => isDeeperThan(text, 1e9),
  'bounded JSON': parseBoundedJson,
  'exact JSON': parseExactJson,
  'JSON with large numbers': parseExactly,
  'a batch of usage': (text) => splitBatch(Buffer.from(text)).map((line) => quietly(line)),
  'a usage record': (text) =>
    parseUsageRecord({ id: text, account: text, country: text, bytes: text, at: text, product: text }, 0),
  'an Accept header': wantsCsv,
  'an Accept-Encoding header': (text) => new PageFile('text/html', Buffer.alloc(0)).encodingFor(text),
  'a Cookie header': (text) => [presentedToken(text), presentedDevice(text)],
  'a device cookie': (text) => knownDevice(sealer, 'a@example.com', text),
  'a share link': (text) => readShareToken(sealer, text, 0),
  'a URL': (text) => readableUrl({ url: text }),
  'a cursor': decodeCursor,
  'a field of a CSV file': (text) => csvLine([text]),
  'a host pattern': parseHostPattern,
  'a proxy user': parseProxyUser,
  'a list of hosts': (text) => parseParameter('allow_hosts', createParameters.allow_hosts, text),
  'a list of languages': (text) =>
    parseParameter('browser_language', createParameters.browser_language, text),
  'a whole number': (text) => parseParameter('maxLifetime', createParameters.maxLifetime, text),
  'an Idempotency-Key': (text) => idempotencyKeyPattern.test(text),
  'metadata and proxy of a query': (text) => parseConnectQuery({ proxy: text, metadata: text }),
  'a URL in a HAR': (text) => {
    const har = new HarWriter(0);
    const what = { type: 'Document', initiator: 'other', headers: { a: text }, isRedirect: false };
    har.add(
      { t: 0, kind: 'request', id: '1', method: 'GET', url: `http://a/?${text}`, ...what },
      text.length,
    );
    return [...har.end()];
  },
};

/** Runs of single characters, of separators and of what each parser looks for, and texts that almost match. */
const pieces = [
  ...[
    'a',
    '1',
    ' ',
    '\t',
    '\n',
    '"',
    '\\',
    '\\"',
    '[',
    '{',
    '[]',
    '{"a":',
    '"a",',
    ',',
    ';',
    '=',
    '.',
    '-',
    '%',
    '@',
  ],
  ...['q=', ';q=0.5,', 'text/csv;', 'gzip', 'gzi', 'br_', '-product-', '-country-', 'en-', 'en,', '*.', 'a.'],
  ...[
    '/',
    '//',
    ':',
    'a:',
    '?',
    '&a=b',
    '\r\n',
    '•',
    `${cookie}=`,
    `${cookie}=;`,
    '0.',
    '1e',
    '9'.repeat(16),
    '-0',
  ],
];

/** As it is, in a text that does not end, and as a value of JSON. */
const forms: ((text: string) => string)[] = [
  (text) => text,
  (text) => `"${text}\0`,
  (text) => `{"a":"${text}"}`,
];

describe.each(Object.entries(parsers))('%s', (_name, parse) => {
  test('costs no more than its length', async () => {
    const parseQuietly = (text: string) => quietly(() => parse(text));
    for (const piece of pieces) {
      for (const form of forms) {
        const input = (size: number) => form(piece.repeat(Math.ceil(size / piece.length)));
        await expectLinear(input, parseQuietly, { from: 2 ** 14, to: 2 ** 16 });
      }
    }
  });
});

test('one number of many digits', async () => {
  const number = (size: number) => `[${'9'.repeat(size)}]`;
  await expectLinear(number, parseExactly, { from: 2 ** 17, to: 2 ** 20 });
  await expectLinear(number, parseExactJson);
});
