/**
 * The life of a target, from when the host attaches to it:
 * - stopped: Chromium holds it before its first script, and the host has not resumed it;
 * - running: it runs, unless a client stopped it;
 * - over: a service worker that was unregistered, closed or has stopped. A client is attached to it, which keeps it;
 * - left: the host has asked to be detached from it;
 * - gone: the host is no longer attached.
 */
export type TargetState = 'stopped' | 'running' | 'over' | 'left' | 'gone';

/** `finish` is the end of a service worker, which may `restart` while anyone is attached. */
export type TargetEvent = 'resume' | 'finish' | 'restart' | 'leave' | 'detach';

const transitions: Readonly<Record<TargetState, Readonly<Partial<Record<TargetEvent, TargetState>>>>> = {
  stopped: { resume: 'running', finish: 'over', restart: 'stopped', detach: 'gone' },
  running: { finish: 'over', restart: 'stopped', detach: 'gone' },
  over: { restart: 'stopped', leave: 'left', detach: 'gone' },
  left: { detach: 'gone' },
  gone: {},
};

/** A page, a frame or a worker that the host is attached to. */
export interface Target {
  readonly targetId: string;
  readonly type: string;
  /** Its URL when it was found. */
  readonly url: string;
  readonly openerId: string | undefined;
  readonly browserContextId: string | undefined;
  /** The host's CDP session with it. */
  readonly cdpSessionId: string;
  /** The number of the tab that it is, or is part of; undefined if it belongs to none, as a service worker does. */
  readonly tab: number | undefined;
  readonly state: TargetState;
  /** Resolves when it has answered what it was sent while it was stopped; undefined if it has. */
  applying: Promise<void> | undefined;
}

/** Returns whether the event means anything in the target's state. */
export function changeTarget(target: Target, event: TargetEvent): boolean {
  const next = transitions[target.state][event];
  if (next !== undefined) (target as { state: TargetState }).state = next;
  return next !== undefined;
}

/** Finds targets that the host is attached to. */
export interface TargetLookup {
  get(targetId: string | undefined): Target | undefined;
  /** By the host's CDP session with it. */
  ofSession(cdpSessionId: string | undefined): Target | undefined;
}
