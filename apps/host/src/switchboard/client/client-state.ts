/**
 * The life of a client's socket:
 * - open: its messages are read, and messages are delivered to it;
 * - hungUp: it sends nothing more, and messages are still delivered to it;
 * - refused: only its control frames are read, so that it can answer a close. Nothing is delivered;
 * - over: nothing is read or delivered;
 * - closed: the socket is closed.
 */
export type ClientState = 'open' | 'hungUp' | 'refused' | 'over' | 'closed';

/** `fail` is an error of ours: nothing is read from the client again, because it might fail again. */
export type ClientEvent = 'hangUp' | 'refuse' | 'fail' | 'close';

const transitions: Readonly<Record<ClientState, Readonly<Partial<Record<ClientEvent, ClientState>>>>> = {
  open: { hangUp: 'hungUp', refuse: 'refused', fail: 'over', close: 'closed' },
  hungUp: { refuse: 'over', fail: 'over', close: 'closed' },
  refused: { hangUp: 'over', fail: 'over', close: 'closed' },
  over: { close: 'closed' },
  closed: {},
};

/** Returns the state after the event; undefined if the event means nothing in this state. */
export function nextClientState(state: ClientState, event: ClientEvent): ClientState | undefined {
  return transitions[state][event];
}
