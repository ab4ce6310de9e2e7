/** What the close codes of a live view mean to the person in front of it. */

const endings = {
  4000: ['The session was closed', 'Its owner closed it. Nothing of the browser is left.'],
  4001: ['The session’s time ran out', 'It reached its maximum lifetime and was ended.'],
  4002: ['The browser stopped', 'It went away by itself, and its session ended with it.'],
};

const interruptions = {
  1008: ['Disconnected', 'The host did not understand this viewer.'],
  1011: ['The picture was lost', 'Connecting again…'],
  1013: ['Too many viewers', 'The session is watched by as many as it takes. Trying again…'],
};

/** When the host no longer knows the link, and nobody was connected to hear why. */
export const unknownEnding = ['The session has ended', 'This live view is no longer there.'];

/** Title and text, or undefined: the session goes on as far as is known. */
export function endingOf(code) {
  return endings[code];
}

export function interruptionOf(code) {
  return interruptions[code] ?? ['Connection lost', 'Connecting again…'];
}
