import { expect, test } from 'vitest';
import type { FilteredClient, FilterWire, MessageFilter, Replacement } from '../filters/message-filter.ts';
import { FilterChain, type FilterName } from './filter-chain.ts';

const cdpSessionId = 'A'.repeat(32);

/** A chain whose filters write their names into what passes them, and what comes out at its ends. */
class Played {
  readonly toBrowser: string[] = [];
  readonly toClient: string[] = [];
  readonly chain = new FilterChain((bytes, start, end) => {
    this.toBrowser.push(bytes.toString('utf8', start, end));
  });
  readonly client: FilteredClient = {
    clientId: 1,
    rootCdpSessionId: cdpSessionId,
    deliver: (_cdpSessionId, bytes, start, end) => {
      this.toClient.push(bytes.toString('utf8', start, end));
    },
    showHost: () => {},
    refuseForRoom: () => {},
  };

  use(
    name: FilterName,
    fromClient?: (text: string, wire: FilterWire) => Replacement | 'wait',
  ): MessageFilter {
    return this.chain.use(name, (wire) => ({
      fromClient: (_client, _id, bytes, start, end) => {
        const text = bytes.toString('utf8', start, end);
        return fromClient ? fromClient(text, wire) : Buffer.from(`${text} ${name}`);
      },
      fromBrowser: (_client, _id, bytes, start, end) =>
        Buffer.from(`${bytes.toString('utf8', start, end)} ${name}`),
    }));
  }

  send(text: string, sender?: MessageFilter): boolean {
    const bytes = Buffer.from(`..${text}..`);
    return this.chain.fromClient(this.client, cdpSessionId, bytes, 2, bytes.length - 2, sender);
  }

  receive(text: string): void {
    const bytes = Buffer.from(`..${text}..`);
    this.chain.fromBrowser(this.client, cdpSessionId, bytes, 2, bytes.length - 2);
  }
}

test('messages meet filters in one order, whenever those came, and in the reverse one on their way back', () => {
  const played = new Played();
  for (const name of ['stealth', 'tap', 'host', 'paused'] as const) played.use(name);
  played.send('a');
  played.receive('b');
  expect(played.toBrowser).toEqual(['a paused tap host stealth']);
  expect(played.toClient).toEqual(['b stealth host tap paused']);
});

test('what a filter sends, or the host sends on, meets only the filters that are left', () => {
  const played = new Played();
  played.use('tap');
  const host = played.use('host');
  played.use('stealth', (text, wire) => {
    wire.toClient(played.client, cdpSessionId, `answer to ${text}`);
    wire.toBrowser(played.client, cdpSessionId, 'own');
    return undefined;
  });
  played.send('a', host);
  expect(played.toBrowser).toEqual(['own', 'a']);
  expect(played.toClient).toEqual(['answer to a host tap']);
});

test('a message that waits or is dropped goes no further', () => {
  const played = new Played();
  let isPaused = true;
  played.use('paused', () => (isPaused ? 'wait' : undefined));
  played.use('host', (text) => (text === 'dropped' ? null : undefined));
  expect(played.send('waits')).toBe(false);
  isPaused = false;
  expect(played.send('dropped')).toBe(true);
  expect(played.send('passes')).toBe(true);
  expect(played.toBrowser).toEqual(['passes']);
});

test('there is one filter of each name', () => {
  const played = new Played();
  expect(played.use('tap')).toBe(played.use('tap'));
  played.send('a');
  expect(played.toBrowser).toEqual(['a tap']);
});
