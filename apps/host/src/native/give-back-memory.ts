import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { nativeCalls } from './native-calls.ts';

type Collect = (options: { type: 'major'; execution: 'sync'; flavor: 'last-resort' }) => void;

let collect: Collect | undefined;
/** Undefined without native calls: then only V8 gives memory back. */
const trim = nativeCalls?.libc.func('int malloc_trim(size_t)') as ((keepBytes: number) => number) | undefined;

/**
 * Collects all garbage of the calling thread and returns free memory to the system: V8's pages, which an ordinary
 * collection keeps in a pool, and the C library's. Takes some tens of milliseconds, and up to a second on a busy
 * machine, so call it only when the thread is idle.
 */
export function giveBackMemory(): void {
  if (!collect) {
    setFlagsFromString('--expose-gc');
    collect = runInNewContext('gc') as Collect;
  }
  collect({ type: 'major', execution: 'sync', flavor: 'last-resort' });
  trim?.(0);
}
