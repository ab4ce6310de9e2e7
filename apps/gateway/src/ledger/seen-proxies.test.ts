import type { ProxyUse } from '@turnpike/contract/traffic';
import { expect, test } from 'vitest';
import { newsOfProxies, type SeenProxies } from './seen-proxies.ts';

const use = (values: Partial<ProxyUse>): ProxyUse => ({
  proxy: 'name:a',
  bytesUp: 0,
  bytesDown: 0,
  connections: 0,
  failures: {},
  firstBytes: 0,
  firstByteMs: 0,
  ...values,
});

/** The kinds of news of reports that follow each other. */
function follow(...reports: Partial<ProxyUse>[]): string[][] {
  let seen: SeenProxies = [];
  return reports.map((report) => {
    const found = newsOfProxies(seen, [use(report)]);
    // As the store keeps it.
    if (found) seen = JSON.parse(JSON.stringify(found.seen));
    return (found?.news ?? []).map((news) => (news.kind === 'failed' ? `failed: ${news.cause}` : news.kind));
  });
}

test('a proxy that works is no news', () => {
  expect(newsOfProxies([], [use({ connections: 100, firstBytes: 100 }), use({})])).toBeUndefined();
});

test('each cause is told once', () => {
  expect(
    follow(
      { connections: 3, failures: { timeout: 1 } },
      { connections: 4, failures: { timeout: 2 } },
      { connections: 5, failures: { timeout: 2, broke: 1 } },
    ),
  ).toEqual([['failed: timeout'], [], ['failed: broke']]);
});

test('five failures in a row make it down, however many reports they are spread over', () => {
  expect(
    follow(
      { connections: 12, failures: { timeout: 2 } },
      { connections: 14, failures: { timeout: 4 } },
      { connections: 17, failures: { timeout: 5, unreachable: 2 } },
      { connections: 18, failures: { timeout: 5, unreachable: 3 } },
      { connections: 22, failures: { timeout: 5, unreachable: 7 } },
    ),
  ).toEqual([['failed: timeout'], [], ['failed: unreachable', 'down'], [], ['down']]);
});

test('one success in between starts the count again', () => {
  expect(
    follow(
      { connections: 4, failures: { timeout: 4 } },
      { connections: 8, failures: { timeout: 7 } },
      { connections: 12, failures: { timeout: 11 } },
      { connections: 13, failures: { timeout: 12 } },
    ),
  ).toEqual([['failed: timeout'], [], [], ['down']]);
});

test('connections that broke do not make it down', () => {
  expect(follow({ connections: 50, failures: { broke: 50 } })).toEqual([['failed: broke']]);
});

test('where it comes out is told at first and when it changes', () => {
  expect(
    follow(
      { exit: { ip: '192.0.2.1' } },
      { exit: { ip: '192.0.2.1' } },
      { exit: { ip: '192.0.2.2' }, exitChanges: 1 },
      { exit: { ip: '192.0.2.2' }, exitChanges: 1 },
    ),
  ).toEqual([['exit'], [], ['exit'], []]);
  const [known] = [[{ told: [], succeeded: 0, failed: 0, exit: '192.0.2.1', exitChanges: 0 }]];
  const moved = use({ exit: { ip: '192.0.2.2', country: 'DE' }, exitChanges: 1 });
  expect(newsOfProxies(known, [moved])?.news).toEqual([
    {
      proxy: 'name:a',
      kind: 'exit',
      exit: { ip: '192.0.2.2', country: 'DE' },
      previous: '192.0.2.1',
      isChange: true,
    },
  ]);
});
