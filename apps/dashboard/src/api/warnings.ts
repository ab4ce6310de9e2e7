import { useSyncExternalStore } from 'react';

/** What the service said of the last request that it warned about: what was asked for and not done. */
let latest: readonly string[] = [];
const listeners = new Set<() => void>();

export function setWarnings(warnings: readonly string[]): void {
  latest = warnings;
  for (const listener of listeners) listener();
}

/** Takes the warnings of an answer. */
export function noteWarnings(headers: Headers): void {
  const text = headers.get('x-turnpike-warnings');
  if (text !== null) setWarnings(JSON.parse(text) as string[]);
}

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

export const useWarnings = (): readonly string[] => useSyncExternalStore(subscribe, () => latest);
