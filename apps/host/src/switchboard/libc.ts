import koffi from 'koffi';

/** The system's own calls, without what Node puts around them: a message costs a third of it then. */
const libc = koffi.load('libc.so.6');

export const read = libc.func('int64_t read(int, void *, size_t)') as Transfer;
export const write = libc.func('int64_t write(int, void *, size_t)') as Transfer;
export const close = libc.func('int close(int)') as (descriptor: number) => number;
export const shutdown = libc.func('int shutdown(int, int)') as (descriptor: number, how: number) => number;
const epollCreate = libc.func('int epoll_create1(int)') as (flags: number) => number;
export const epollControl = libc.func('int epoll_ctl(int, int, int, void *)') as (
  ...args: [poll: number, operation: number, descriptor: number, event: Buffer]
) => number;
export const epollWait = libc.func('int epoll_wait(int, void *, int, int)') as (
  ...args: [poll: number, events: Buffer, maxEvents: number, timeoutMs: number]
) => number;
const eventfd = libc.func('int eventfd(unsigned int, int)') as (count: number, flags: number) => number;
const fcntl = libc.func('int fcntl(int, int, int)') as (
  ...args: [fd: number, op: number, arg: number]
) => number;
const socketpair = libc.func('int socketpair(int, int, int, void *)') as (
  ...args: [domain: number, type: number, protocol: number, pair: Int32Array]
) => number;

const setScheduler = libc.func('int sched_setscheduler(int, int, void *)') as (
  ...args: [thread: number, policy: number, parameters: Int32Array]
) => number;
const pipe = libc.func('int pipe2(void *, int)') as (pair: Int32Array, flags: number) => number;

type Transfer = (descriptor: number, bytes: Uint8Array, length: number) => number;

const { EAGAIN, EINTR } = koffi.os.errno as Record<'EAGAIN' | 'EINTR', number>;
const nonBlocking = 0o4000;
/** No browser inherits what is the host's. */
const closeOnExec = 0o2000000;
const [getFlags, setFlags, duplicateClosedOnExec] = [3, 4, 1030] as const;
const [thisThread, batchPolicy] = [0, 3];
const unixDomain = 1;
const streamType = 1;

/** Of a call that just failed: it may be tried again, now or when the descriptor is ready. */
export function mayTryAgain(): boolean {
  const errno = koffi.errno();
  return errno === EAGAIN || errno === EINTR;
}

/**
 * From here on the calling thread takes the processor from nobody who is at work: it runs when there is one free, and
 * finds more to do then. Where a system does not allow it, things go on as they were.
 */
export function yieldToOthers(): void {
  setScheduler(thisThread, batchPolicy, new Int32Array(1));
}

export function duplicate(descriptor: number): number {
  return made(fcntl(descriptor, duplicateClosedOnExec, 0), 'duplicate a descriptor');
}

/** What one thread wakes another with, that waits for descriptors. */
export function createBell(): number {
  return made(eventfd(0, nonBlocking | closeOnExec), 'make an event descriptor');
}

export function createPair(): [number, number] {
  const pair = new Int32Array(2);
  made(socketpair(unixDomain, streamType | nonBlocking | closeOnExec, 0, pair), 'make a pair of sockets');
  return [pair[0] as number, pair[1] as number];
}

/** The end to read from and the end to write to. */
export function createPipe(): { from: number; to: number } {
  const pair = new Int32Array(2);
  made(pipe(pair, closeOnExec), 'make a pipe');
  return { from: pair[0] as number, to: pair[1] as number };
}

/** A call that would have to wait fails from here on, at this end alone. */
export function doNotWait(descriptor: number): void {
  made(fcntl(descriptor, setFlags, fcntl(descriptor, getFlags, 0) | nonBlocking), 'change a descriptor');
}

export function createPoll(): number {
  return made(epollCreate(closeOnExec), 'wait for descriptors');
}

function made(result: number, what: string): number {
  if (result === -1) throw new Error(`The system would not ${what} (error ${koffi.errno()})`);
  return result;
}
