import type { ChildProcess } from 'node:child_process';
import type { Duplex } from 'node:stream';
import type { WorkOwner } from '@turnpike/process/work/work';
import type { PipeStart } from './browser-pipe.ts';
import type { ClientStart } from './client/client-socket.ts';
import type { Command } from './commands.ts';
import type { ClientReport, PipeReport } from './reports.ts';

/** Hears what happens on a browser's pipe besides messages between a client and its browser. */
export interface PipeOwner {
  /** Whose work it is to handle the reports. */
  readonly work: WorkOwner;
  report(report: PipeReport): void;
}

/** Hears what happens on a client's socket besides messages between the client and its browser. */
export interface ClientOwner {
  /** That of its pipe. */
  readonly work: WorkOwner;
  report(report: ClientReport): void;
}

/** The host's end of one direction of a DevTools pipe: a descriptor or a stream, as the switchboard created it. */
export type PipeEnd = number | Duplex;

export interface PipeEnds {
  /** Where the browser reads. */
  input: PipeEnd;
  /** Where the browser writes. */
  output: PipeEnd;
}

/** A DevTools pipe that no browser has yet. */
export interface NewPipe extends Disposable {
  /** What `spawn` is to give the browser as its descriptors 3, which it reads, and 4, which it writes. */
  readonly stdio: readonly [input: number | 'pipe', output: number | 'pipe'];
  /** Returns the host's ends when the browser has been spawned. */
  hostEnds(child: Pick<ChildProcess, 'stdio'>): PipeEnds;
  /** Closes the browser's ends in this process. Call after `spawn`. */
  [Symbol.dispose](): void;
}

export interface ClientConnection extends Pick<ClientStart, 'rootCdpSessionId' | 'counters'> {
  pipeId: number;
  socket: Duplex;
  /** What has been read from the socket already. */
  head: Buffer;
}

/** Hears of errors. */
export interface SwitchboardObserver {
  /** An error ended one session or one client of it. */
  onError(error: string): void;
  /** An error ended the thread, and with it all the sessions that it carried. */
  onThreadDied(error: string): void;
}

/**
 * Carries DevTools messages between browsers and their clients, and reports to the host only what is more than passing
 * a message on. `ThreadSwitchboard` does it with system calls on a thread of its own, `PlainSwitchboard` with Node's
 * streams on the host's thread. Both do the same (`switchboard.test.ts`).
 */
export interface Switchboard {
  createPipe(): NewPipe;
  /** Takes over the host's ends of a browser's pipe. Returns the pipe's id. */
  openPipe(owner: PipeOwner, ends: PipeEnds, start: Omit<PipeStart, 'pipeId'>): number;
  /** Takes over a client's socket, until `closeClient`. Returns the client's id. Throws when the socket is closed. */
  connectClient(owner: ClientOwner, connection: ClientConnection): number;
  /** Commands of one turn of the event loop are carried out together, in this order. */
  send(command: Command): void;
  /** Call when there are no sessions any more. */
  close(): Promise<void>;
}
