/** The close codes of a live view, in words for the person who watches. */

export interface Notice {
  title: string;
  text: string;
}

const endings: Readonly<Record<number, Notice>> = {
  4000: { title: 'The session was closed', text: 'Its owner closed it. Nothing of the browser is left.' },
  4001: { title: 'The session’s time ran out', text: 'It reached its maximum lifetime.' },
  4002: { title: 'The browser stopped', text: 'It crashed or quit, and the session ended with it.' },
};

const interruptions: Readonly<Record<number, Notice>> = {
  1008: { title: 'Disconnected', text: 'The host did not understand this viewer.' },
  1011: { title: 'The picture was lost', text: 'Connecting again…' },
  1013: { title: 'Too many viewers', text: 'This session has as many viewers as it allows. Trying again…' },
};

/** For a link that the host no longer knows, when no connection was open to say why. */
export const unknownEnding: Notice = {
  title: 'The session has ended',
  text: 'This live view no longer exists.',
};

/** Returns undefined if the session goes on, as far as is known. */
export function endingOf(code: number): Notice | undefined {
  return endings[code];
}

export function interruptionOf(code: number): Notice {
  return interruptions[code] ?? { title: 'Connection lost', text: 'Connecting again…' };
}
