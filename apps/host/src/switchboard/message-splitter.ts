/** More than Chromium writes. One that writes on and on would fill the host's memory. */
const maxMessageBytes = 2 ** 30;

/** Chromium's side of the DevTools pipe: JSON messages, each with a zero byte after it. */
export class MessageSplitter {
  readonly #onMessage: (message: Buffer) => void;
  #parts: Buffer[] = [];
  #bytes = 0;

  /** The message may change when that has returned. */
  constructor(onMessage: (message: Buffer) => void) {
    this.#onMessage = onMessage;
  }

  /** Throws at a message without end. */
  read(chunk: Buffer): void {
    let start = 0;
    for (let end = chunk.indexOf(0); end !== -1; end = chunk.indexOf(0, start)) {
      let message = chunk.subarray(start, end);
      if (this.#parts.length > 0) {
        this.#parts.push(message);
        message = Buffer.concat(this.#parts);
        this.#parts = [];
        this.#bytes = 0;
      }
      start = end + 1;
      this.#onMessage(message);
    }
    if (start === chunk.length) return;
    this.#parts.push(Buffer.from(chunk.subarray(start)));
    this.#bytes += chunk.length - start;
    if (this.#bytes > maxMessageBytes) throw new Error('A message without end');
  }
}
