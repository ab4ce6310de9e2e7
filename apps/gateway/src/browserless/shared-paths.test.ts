import { expect, test } from 'vitest';
import { browserlessUrl } from './shared-paths.ts';

test.for([
  ['/', { upgrade: 'websocket' }, '/chromium'],
  ['/?token=a&proxy=b?c', { upgrade: 'WebSocket' }, '/chromium?token=a&proxy=b?c'],
  ['/?token=a', {}, '/?token=a'],
  ['/', { upgrade: 'h2c' }, '/'],
  ['/sessions', {}, '/sessions'],
  ['/sessions?cursor=a', {}, '/sessions?cursor=a'],
  ['/sessions/?a=b&token=c', {}, '/browserless/sessions?a=b&token=c'],
  ['/sessions/br_1?token=c', {}, '/sessions/br_1?token=c'],
] as const)('%s with %o is %s', ([url, headers, read]) => {
  expect(browserlessUrl({ url, headers })).toBe(read);
});
