import http from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Target } from './target.ts';

/** Keeps connections for plain HTTP that someone else knows how to make. */
export class DiallingAgent extends http.Agent {
  readonly #dial: (target: Target) => Promise<Socket>;

  constructor(dial: (target: Target) => Promise<Socket>) {
    super({ keepAlive: true });
    this.#dial = dial;
  }

  override createConnection(
    options: http.ClientRequestArgs,
    callback?: (error: Error | null, stream: Duplex) => void,
  ): undefined {
    this.#dial({ host: options.host ?? '', port: Number(options.port) }).then(
      (socket) => callback?.(null, socket),
      (error: Error) => callback?.(error, undefined as never),
    );
  }
}
