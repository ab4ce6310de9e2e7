import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import koffi from 'koffi';

type Collect = (options: { type: 'major'; execution: 'sync'; flavor: 'last-resort' }) => void;

let collect: Collect | undefined;
const trim = koffi.load('libc.so.6').func('int malloc_trim(size_t)') as (keepBytes: number) => number;

/**
 * Runs a full garbage collection of the calling thread and returns free memory to the system: V8's pages, which an
 * ordinary collection keeps in a pool, and the C library's. Takes tens of milliseconds, and up to a second on a busy
 * machine, so it is for idle threads.
 */
export function giveBackMemory(): void {
  if (!collect) {
    setFlagsFromString('--expose-gc');
    collect = runInNewContext('gc') as Collect;
  }
  collect({ type: 'major', execution: 'sync', flavor: 'last-resort' });
  trim(0);
}
