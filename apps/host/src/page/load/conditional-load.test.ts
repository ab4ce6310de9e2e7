import type { Protocol } from 'devtools-protocol';
import { expect, it } from 'vitest';
import { ConditionalLoad, validatorsIn } from './conditional-load.ts';

/** What is told to the browser about a paused request. */
function told(condition: ConditionalLoad, more: object = {}): unknown[] {
  const request = { url: 'https://a.test/', headers: { Accept: '*/*' } };
  const paused = { requestId: '1', request, ...more } as unknown as Protocol.Fetch.RequestPausedEvent;
  let heard: unknown[] = [];
  const devtools = {
    tell: (...command: unknown[]) => {
      heard = command;
    },
  };
  condition.goOn(devtools, paused, undefined);
  return heard.slice(0, 2);
}

it('reads validators that can be sent again, and no others', () => {
  const lastModified = 'Wed, 18 Nov 2026 10:00:00 GMT';
  expect(validatorsIn({ etag: 'W/"a"', 'last-modified': lastModified })).toEqual({
    etag: 'W/"a"',
    lastModified,
  });
  expect(validatorsIn({ etag: 'x'.repeat(501), 'last-modified': 'a\r\nb' })).toEqual({});
  expect(new ConditionalLoad({ etag: 'a\nb' }).isPossible).toBe(false);
});

it('asks once, by the first request for the document', () => {
  const condition = new ConditionalLoad({ etag: '"a"' });
  const headers = [
    { name: 'Accept', value: '*/*' },
    { name: 'If-None-Match', value: '"a"' },
  ];
  expect(told(condition)).toEqual([
    'Fetch.continueRequest',
    { requestId: '1', headers, interceptResponse: true },
  ]);
  const goesOn = ['Fetch.continueRequest', { requestId: '1' }];
  expect(told(condition, { responseStatusCode: 302 })).toEqual(goesOn);
  expect(told(condition)).toEqual(goesOn);
  expect(condition.isUnchanged).toBe(false);
});

it('shows no 304, and says that the page has not changed', () => {
  const condition = new ConditionalLoad({ lastModified: 'Wed, 18 Nov 2026 10:00:00 GMT' });
  told(condition);
  expect(told(condition, { responseStatusCode: 304 })[0]).toBe('Fetch.failRequest');
  expect(condition.isUnchanged).toBe(true);
});
