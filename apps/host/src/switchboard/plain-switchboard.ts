import { Duplex } from 'node:stream';
import type { PipeStart } from './browser-pipe.ts';
import { StreamChannel } from './channel/stream-channel.ts';
import type { Command } from './commands.ts';
import { ReportDelivery } from './report-delivery.ts';
import type {
  ClientConnection,
  ClientOwner,
  NewPipe,
  PipeEnd,
  PipeEnds,
  PipeOwner,
  Switchboard,
  SwitchboardObserver,
} from './switchboard.ts';
import { SwitchboardCore } from './switchboard-core.ts';
import { newWorkWords, Turns } from './turns.ts';

/** Carries DevTools messages with Node's streams, on the thread that it is called from. */
export class PlainSwitchboard implements Switchboard {
  readonly #core = new SwitchboardCore(new Turns(newWorkWords()));
  readonly #delivery: ReportDelivery;
  #queue: (() => void)[] = [];

  constructor(observer: Pick<SwitchboardObserver, 'onError'>) {
    const send = (command: Command) => this.send(command);
    this.#delivery = new ReportDelivery(send, (error) => observer.onError(error));
  }

  createPipe(): NewPipe {
    return {
      stdio: ['pipe', 'pipe'],
      hostEnds: ({ stdio: [, , , input, output] }) => ({ input: input as Duplex, output: output as Duplex }),
      [Symbol.dispose]: () => {}, // `spawn` has closed the browser's ends.
    };
  }

  openPipe(owner: PipeOwner, ends: PipeEnds, start: Omit<PipeStart, 'pipeId'>): number {
    const pipeId = this.#delivery.addPipe(owner);
    const channels = { input: this.#channelOn(ends.input), output: this.#channelOn(ends.output) };
    this.#enqueue(() => this.#core.openPipe({ pipeId, ...start }, channels));
    return pipeId;
  }

  connectClient(owner: ClientOwner, connection: ClientConnection): number {
    const { pipeId, socket, head: firstBytes, rootCdpSessionId, counters } = connection;
    if (socket.destroyed) throw new Error('The connection is closed');
    const clientId = this.#delivery.addClient(owner);
    const channel = this.#channelOn(socket);
    const start = { clientId, rootCdpSessionId, firstBytes, counters };
    this.#enqueue(() => this.#core.connectClient(pipeId, start, channel));
    return clientId;
  }

  send(command: Command): void {
    if (command.type === 'closeClient') this.#delivery.removeClient(command.clientId);
    this.#enqueue(() => this.#core.carryOut(command));
  }

  async close(): Promise<void> {}

  #channelOn(end: PipeEnd): StreamChannel {
    if (!(end instanceof Duplex)) throw new Error('The plain switchboard takes streams, not descriptors');
    return new StreamChannel(end, (work) => this.#run(work));
  }

  #enqueue(work: () => void): void {
    this.#queue.push(work);
    if (this.#queue.length === 1) process.nextTick(() => this.#runQueue());
  }

  #runQueue(): void {
    const queue = this.#queue;
    this.#queue = [];
    this.#run(() => {
      for (const work of queue) work();
    });
  }

  /** Owners are told when everything is done, so they never call in the middle of it. */
  #run(work: () => void): void {
    work();
    this.#delivery.deliver(this.#core.finishTurn());
  }
}
