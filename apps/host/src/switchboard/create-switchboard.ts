import { type ThreadWatcher, unwatched } from '@turnpike/process/work/watchdog';
import { nativeCallsError } from '../native/native-calls.ts';
import { PlainSwitchboard } from './plain-switchboard.ts';
import type { Switchboard, SwitchboardObserver } from './switchboard.ts';

/** Undefined where the native call layer cannot be loaded. */
const native = nativeCallsError ? undefined : await import('./thread/thread-switchboard.ts');

export interface SwitchboardCreation extends SwitchboardObserver {
  /** The native call layer cannot be loaded, so messages go through Node's streams, which is slower. */
  onFallback(error: Error): void;
}

export function createSwitchboard(
  observer: SwitchboardCreation,
  watcher: ThreadWatcher = unwatched,
): Switchboard {
  if (native) return new native.ThreadSwitchboard(observer, { watcher });
  if (nativeCallsError) observer.onFallback(nativeCallsError);
  return new PlainSwitchboard(observer);
}
