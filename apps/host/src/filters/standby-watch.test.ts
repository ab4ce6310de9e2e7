import { expect, test } from 'vitest';
import type { FilteredClient } from './message-filter.ts';
import { StandbyWatch } from './standby-watch.ts';

const client = { clientId: 1, rootCdpSessionId: 'root' } as FilteredClient;

function watch() {
  const seen = { needed: 0, unanswered: 0 };
  const filter = new StandbyWatch(
    () => {
      seen.needed += 1;
    },
    (count) => {
      seen.unanswered = count;
    },
  );
  const hear = (cdpSessionId: string, text: string) =>
    filter.fromBrowser(client, cdpSessionId, Buffer.from(`xx${text}`), 2);
  return { filter, seen, hear };
}

test('only the first message to a browser that sleeps is told', () => {
  const { filter, seen } = watch();
  filter.fromClient(client, 'page');
  expect(seen.needed).toBe(0);
  filter.isAsleep = true;
  filter.fromClient(client, 'page');
  filter.fromClient(client, undefined);
  expect(seen.needed).toBe(1);
});

test('a command waits until its answer, the answer of the host, or the end of its target', () => {
  const { filter, seen, hear } = watch();
  for (const id of ['page', 'page', undefined, 'worker']) filter.fromClient(client, id);
  expect(seen.unanswered).toBe(4);
  hear('page', '{"method":"Page.loadEventFired","params":{}}');
  expect(seen.unanswered).toBe(4);
  hear('page', '{"id":1,"result":{}}');
  filter.answered('root');
  expect(seen.unanswered).toBe(2);
  filter.detached('worker');
  hear('page', '{"id":2,"error":{}}');
  // Answers to what was never counted change nothing.
  hear('page', '{"id":3,"result":{}}');
  filter.detached('unknown');
  expect(seen.unanswered).toBe(0);
});
