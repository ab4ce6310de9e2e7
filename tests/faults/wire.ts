import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

export type Cut = 'hang' | 'reset';

/** A TCP connection's two halves. */
interface Pair {
  near: Socket;
  far: Socket;
}

/** A piece of network to a port of this machine. Cut, it holds everything back, or resets every connection. */
export class Wire implements AsyncDisposable {
  readonly #server: Server;
  readonly #pairs = new Set<Pair>();
  readonly #target: number;
  #cut: Cut | undefined;

  private constructor(target: number) {
    this.#target = target;
    this.#server = createServer({ pauseOnConnect: true }, (near) => this.#take(near));
  }

  static async to(port: number): Promise<Wire> {
    const wire = new Wire(port);
    wire.#server.listen(0, '127.0.0.1');
    await once(wire.#server, 'listening');
    return wire;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  cut(how: Cut): void {
    this.#cut = how;
    for (const pair of this.#pairs) {
      if (how === 'reset') destroy(pair);
      else unpipe(pair);
    }
  }

  mend(): void {
    this.#cut = undefined;
    for (const pair of this.#pairs) pipe(pair);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const pair of this.#pairs) destroy(pair);
    this.#server.close();
    await once(this.#server, 'close');
  }

  #take(near: Socket): void {
    near.on('error', () => {});
    if (this.#cut === 'reset') return void near.resetAndDestroy();
    const far = connect(this.#target, '127.0.0.1').on('error', () => {});
    const pair = { near, far };
    this.#pairs.add(pair);
    for (const socket of [near, far]) {
      socket.setNoDelay();
      socket.once('close', () => {
        this.#pairs.delete(pair);
        destroy(pair);
      });
    }
    if (this.#cut !== 'hang') pipe(pair);
  }
}

function pipe({ near, far }: Pair): void {
  near.pipe(far);
  far.pipe(near);
}

function unpipe({ near, far }: Pair): void {
  near.unpipe().pause();
  far.unpipe().pause();
}

function destroy({ near, far }: Pair): void {
  near.destroy();
  far.destroy();
}
