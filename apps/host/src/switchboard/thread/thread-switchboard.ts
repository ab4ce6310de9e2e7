import { closeSync } from 'node:fs';
import { unwatched } from '@turnpike/process/work/watchdog';
import { close, createPipe, setNonBlocking, shutdownWriting, write } from '../../native/libc.ts';
import type { PipeStart } from '../browser-pipe.ts';
import type { ClientCommand, Command } from '../commands.ts';
import { ReportDelivery } from '../report-delivery.ts';
import { clientCounters, type Report } from '../reports.ts';
import type {
  ClientConnection,
  ClientOwner,
  NewPipe,
  PipeEnds,
  PipeOwner,
  Switchboard,
  SwitchboardObserver,
} from '../switchboard.ts';
import { SwitchboardThread, type ThreadOptions } from './switchboard-thread.ts';
import { takeConnection } from './take-connection.ts';

/** A pipe whose descriptors a thread has. */
interface ThreadPipe {
  thread: SwitchboardThread;
  descriptors: readonly number[];
}

/** A client whose descriptor a thread has, or had when it died. */
interface ThreadClient {
  thread: SwitchboardThread;
  descriptor: number;
  counters: Float64Array;
  isClosing: boolean;
}

/**
 * - idle: there is no thread, and the next browser starts one;
 * - running: there is a thread;
 * - closed: there is none, and none is started.
 */
type ThreadState = 'idle' | 'running' | 'closed';
type ThreadEvent = 'open' | 'threadExit' | 'close';

const transitions: Readonly<Record<ThreadState, Readonly<Partial<Record<ThreadEvent, ThreadState>>>>> = {
  idle: { open: 'running', close: 'closed' },
  running: { open: 'running', threadExit: 'idle', close: 'closed' },
  closed: { threadExit: 'closed', close: 'closed' },
};

/**
 * Carries DevTools messages with system calls, on a thread of its own (decision 0019). Should the thread die, its
 * sessions end, their clients are told, and the next browser gets a new thread.
 */
export class ThreadSwitchboard implements Switchboard {
  readonly #observer: SwitchboardObserver;
  readonly #options: ThreadOptions;
  readonly #delivery: ReportDelivery;
  readonly #pipes = new Map<number, ThreadPipe>();
  readonly #clients = new Map<number, ThreadClient>();
  #state: ThreadState = 'idle';
  #thread: SwitchboardThread | undefined;

  constructor(observer: SwitchboardObserver, options: ThreadOptions = { watcher: unwatched }) {
    this.#observer = observer;
    this.#options = options;
    const send = (command: Command) => this.send(command);
    this.#delivery = new ReportDelivery(send, (error) => observer.onError(error));
  }

  createPipe(): NewPipe {
    const [input, output] = [createPipe(), createPipe()];
    for (const descriptor of [input.writeEnd, output.readEnd]) setNonBlocking(descriptor);
    return {
      stdio: [input.readEnd, output.writeEnd],
      hostEnds: () => ({ input: input.writeEnd, output: output.readEnd }),
      [Symbol.dispose]: () => {
        closeSync(input.readEnd);
        closeSync(output.writeEnd);
      },
    };
  }

  openPipe(owner: PipeOwner, { input, output }: PipeEnds, start: Omit<PipeStart, 'pipeId'>): number {
    if (typeof input !== 'number' || typeof output !== 'number') {
      throw new Error('The thread switchboard takes descriptors, not streams');
    }
    const thread = this.#runningThread();
    const pipeId = this.#delivery.addPipe(owner);
    this.#pipes.set(pipeId, { thread, descriptors: [input, output] });
    thread.post({ type: 'openPipe', start: { pipeId, ...start }, input, output });
    return pipeId;
  }

  connectClient(owner: ClientOwner, connection: ClientConnection): number {
    const { pipeId, socket, head, rootCdpSessionId, counters } = connection;
    const pipe = this.#pipes.get(pipeId);
    if (!pipe) throw new Error('The browser is gone');
    const { descriptor, firstBytes } = takeConnection(socket, head);
    const clientId = this.#delivery.addClient(owner);
    const { thread } = pipe;
    this.#clients.set(clientId, { thread, descriptor, counters, isClosing: false });
    const start = { clientId, rootCdpSessionId, firstBytes, counters };
    thread.post({ type: 'connectClient', toPipeId: pipeId, start, descriptor });
    return clientId;
  }

  send(command: Command): void {
    if ('pipeId' in command) this.#pipes.get(command.pipeId)?.thread.post(command);
    else this.#sendToClient(command);
  }

  async close(): Promise<void> {
    this.#change('close');
    this.#thread?.stop();
    await this.#thread?.exited;
  }

  #change(event: ThreadEvent): void {
    const next = transitions[this.#state][event];
    if (!next) throw new Error(`The switchboard is ${this.#state}`);
    this.#state = next;
  }

  #runningThread(): SwitchboardThread {
    this.#change('open');
    const listener = {
      onReports: (reports: readonly Report[]) => this.#onReports(reports),
      onStalled: (pipeId: number) => this.#onReports([{ type: 'ended', pipeId, lost: 'stalled' }]),
      onExit: (cause: string) => this.#onExit(cause),
    };
    this.#thread ??= new SwitchboardThread(listener, this.#options);
    return this.#thread;
  }

  #onReports(reports: readonly Report[]): void {
    for (const report of reports) {
      if (report.type === 'ended') this.#pipes.delete(report.pipeId);
      if (report.type === 'closed') this.#clients.delete(report.clientId);
    }
    this.#delivery.deliver(reports);
  }

  #sendToClient(command: ClientCommand): void {
    const client = this.#clients.get(command.clientId);
    if (!client) return;
    if (command.type === 'closeClient') {
      client.isClosing = true;
      this.#delivery.removeClient(command.clientId);
    }
    if (client.thread === this.#thread) client.thread.post(command);
    else this.#carryOutWithoutThread(client, command);
  }

  /** Ends the pipes of a thread that is gone. Its clients stay until the host has told them and closes them. */
  #onExit(cause: string): void {
    const hasDied = this.#state === 'running';
    this.#change('threadExit');
    this.#thread = undefined;
    if (hasDied) this.#observer.onThreadDied(cause);
    for (const [pipeId, { descriptors }] of [...this.#pipes]) {
      for (const descriptor of descriptors) close(descriptor);
      this.#onReports([{ type: 'ended', pipeId, ...(hasDied && { lost: 'threadDied' as const }) }]);
    }
    for (const [clientId, client] of [...this.#clients]) {
      if (client.isClosing) this.#carryOutWithoutThread(client, { type: 'closeClient', clientId });
    }
  }

  /** Tells a client of a dead thread the last things, where the thread left nothing half written. */
  #carryOutWithoutThread({ descriptor, counters }: ThreadClient, command: ClientCommand): void {
    if (command.type === 'write' && counters[clientCounters.isPending] === 0) {
      write(descriptor, command.bytes, command.bytes.length);
    } else if (command.type === 'endWriting') shutdownWriting(descriptor);
    else if (command.type === 'closeClient') {
      this.#clients.delete(command.clientId);
      close(descriptor);
    }
  }
}
