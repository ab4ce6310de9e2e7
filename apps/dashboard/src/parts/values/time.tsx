import { useSyncExternalStore } from 'react';
import { duration } from './figures.ts';

/** A time in the viewer's time zone; the tooltip shows UTC. */
export function Time({ at, seconds = false }: { at: string; seconds?: boolean }) {
  const date = new Date(at);
  return (
    <time dateTime={at} title={utc(date)}>
      {local(date, seconds)}
    </time>
  );
}

/** How long ago; the tooltip shows the time. */
export function Ago({ at }: { at: string }) {
  const now = useNow();
  const date = new Date(at);
  const secondsAgo = Math.round((now - date.getTime()) / 1000);
  return (
    <time dateTime={at} title={`${local(date, true)} · ${utc(date)}`}>
      {secondsAgo < 2 ? 'just now' : `${duration(coarse(secondsAgo))} ago`}
    </time>
  );
}

/** Time left, counting down. */
export function Left({ until }: { until: string }) {
  const now = useNow();
  const date = new Date(until);
  return (
    <time dateTime={until} title={`${local(date, true)} · ${utc(date)}`}>
      {duration((date.getTime() - now) / 1000)}
    </time>
  );
}

/** A UTC day, such as `3 Nov`. */
export function dayName(day: string, { year = false } = {}): string {
  return new Date(`${day}T00:00:00Z`).toLocaleDateString('en-GB', {
    timeZone: 'UTC',
    day: 'numeric',
    month: 'short',
    ...(year ? { year: 'numeric' } : {}),
  });
}

export function utc(date: Date): string {
  return `${date.toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}

function local(date: Date, seconds: boolean): string {
  return date.toLocaleString('en-GB', {
    day: 'numeric',
    month: 'short',
    ...(date.getFullYear() === new Date().getFullYear() ? {} : { year: 'numeric' }),
    hour: '2-digit',
    minute: '2-digit',
    ...(seconds ? { second: '2-digit' } : {}),
  });
}

/** Drops the seconds after a minute. */
const coarse = (seconds: number): number => (seconds < 60 ? seconds : seconds - (seconds % 60));

/** One timer for all relative times on the page; stopped while there are none. */
const listeners = new Set<() => void>();
let now = Date.now();
let timer: ReturnType<typeof setInterval> | undefined;

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  timer ??= setInterval(() => {
    now = Date.now();
    for (const each of listeners) each();
  }, 1000);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

export function useNow(): number {
  return useSyncExternalStore(subscribe, () => now);
}
