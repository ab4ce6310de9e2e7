import { expect, it } from 'vitest';
import { endToEnd } from './hop-headers.ts';

it('keeps order, spelling and repetition of what is meant for the other end', () => {
  const headers = [
    'Host',
    'a',
    'X-One',
    '1',
    'set-cookie',
    'a',
    'Set-Cookie',
    'b',
    'Transfer-Encoding',
    'chunked',
  ];
  expect(endToEnd(headers)).toEqual(headers);
});

it('drops what is meant for one hop, and what Connection names', () => {
  const headers = [
    ...[
      'Proxy-Authorization',
      'Basic c2VjcmV0',
      'Proxy-Connection',
      'keep-alive',
      'Upgrade',
      'h2c',
      'TE',
      'x',
    ],
    ...['Connection', 'close, X-Private', 'x-private', '1', 'Accept', '*/*'],
  ];
  expect(endToEnd(headers)).toEqual(['Accept', '*/*']);
});
