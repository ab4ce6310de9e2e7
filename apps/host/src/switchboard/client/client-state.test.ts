import { expect, it } from 'vitest';
import { type ClientEvent, type ClientState, nextClientState } from './client-state.ts';

const after = (...events: ClientEvent[]) =>
  events.reduce<ClientState>((state, event) => nextClientState(state, event) ?? state, 'open');

it.each([
  ['a client that is refused and then hangs up is over', ['refuse', 'hangUp'], 'over'],
  ['a client that hangs up and is refused then is over', ['hangUp', 'refuse'], 'over'],
  ['a client whose handling failed is over', ['fail'], 'over'],
  ['a client that is over is not refused again', ['fail', 'refuse', 'hangUp'], 'over'],
] as [string, ClientEvent[], ClientState][])('%s', (_name, events, state) => {
  expect(after(...events)).toBe(state);
});

it.each(['open', 'hungUp', 'refused', 'over'] as const)(
  'a client that is %s can be closed, once',
  (state) => {
    expect(nextClientState(state, 'close')).toBe('closed');
    expect(nextClientState('closed', 'close')).toBeUndefined();
  },
);
