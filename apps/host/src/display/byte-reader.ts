import type { Socket } from 'node:net';

/** Reads an exact number of bytes at a time. */
export class ByteReader {
  readonly #chunks: AsyncIterator<Buffer>;
  #rest = Buffer.alloc(0);

  constructor(socket: Socket) {
    this.#chunks = socket[Symbol.asyncIterator]();
  }

  async take(length: number): Promise<Buffer> {
    while (this.#rest.length < length) {
      const { value, done } = await this.#chunks.next();
      if (done) throw new Error('The display closed the connection');
      this.#rest = Buffer.concat([this.#rest, value]);
    }
    const taken = this.#rest.subarray(0, length);
    this.#rest = this.#rest.subarray(length);
    return taken;
  }
}
