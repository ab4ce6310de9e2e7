import { requireNativeCalls } from './native-calls.ts';

/** System calls without Node's streams around them, which makes a message cost a third. Importing it needs koffi. */
const { koffi, libc } = requireNativeCalls();

type Transfer = (descriptor: number, bytes: Uint8Array, length: number) => number;

export const read = libc.func('int64_t read(int, void *, size_t)') as Transfer;
export const write = libc.func('int64_t write(int, void *, size_t)') as Transfer;
export const close = libc.func('int close(int)') as (descriptor: number) => number;
const shutdown = libc.func('int shutdown(int, int)') as (descriptor: number, how: number) => number;
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
/** Returns the kernel's id of the calling thread. */
export const kernelThreadId = libc.func('int gettid()') as () => number;
const pipe = libc.func('int pipe2(void *, int)') as (pair: Int32Array, flags: number) => number;

const { EAGAIN, EINTR } = koffi.os.errno as Record<'EAGAIN' | 'EINTR', number>;
const nonBlocking = 0o4000;
/** Keeps browsers from inheriting the host's descriptors. */
const closeOnExec = 0o2000000;
const [getFlags, setFlags, duplicateClosedOnExec] = [3, 4, 1030] as const;
const [thisThread, batchPolicy] = [0, 3];
const unixDomain = 1;
const streamType = 1;
const writingSide = 1;

/** Whether the call that just failed may be tried again, now or when the descriptor is ready. */
export function mayTryAgain(): boolean {
  const errno = koffi.errno();
  return errno === EAGAIN || errno === EINTR;
}

/**
 * Sets the calling thread to `SCHED_BATCH`: it preempts nobody, runs when a processor is free, and then finds more to
 * do at once. Where the system does not allow it, nothing changes.
 */
export function yieldToOthers(): void {
  setScheduler(thisThread, batchPolicy, new Int32Array(1));
}

/** Ends the writing side of a socket: the peer reads the end of the stream. */
export function shutdownWriting(descriptor: number): void {
  shutdown(descriptor, writingSide);
}

export function duplicate(descriptor: number): number {
  return checked(fcntl(descriptor, duplicateClosedOnExec, 0), 'duplicate a descriptor');
}

/** Creates what one thread wakes another with that waits in `epoll_wait`. */
export function createEvent(): number {
  return checked(eventfd(0, nonBlocking | closeOnExec), 'create an event descriptor');
}

export function createSocketPair(): [number, number] {
  const pair = new Int32Array(2);
  checked(socketpair(unixDomain, streamType | nonBlocking | closeOnExec, 0, pair), 'create a socket pair');
  return [pair[0] as number, pair[1] as number];
}

export function createPipe(): { readEnd: number; writeEnd: number } {
  const pair = new Int32Array(2);
  checked(pipe(pair, closeOnExec), 'create a pipe');
  return { readEnd: pair[0] as number, writeEnd: pair[1] as number };
}

/** Makes calls on this end fail that would have to wait. */
export function setNonBlocking(descriptor: number): void {
  checked(fcntl(descriptor, setFlags, fcntl(descriptor, getFlags, 0) | nonBlocking), 'change a descriptor');
}

export function createPoll(): number {
  return checked(epollCreate(closeOnExec), 'create an epoll instance');
}

function checked(result: number, action: string): number {
  if (result === -1) throw new Error(`The system did not ${action} (errno ${koffi.errno()})`);
  return result;
}
