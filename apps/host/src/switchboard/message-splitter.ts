/** More than Chromium writes. One that writes on and on would fill the host's memory. */
const maxMessageBytes = 2 ** 30;

/** The message is the bytes from start to end, and may change when this has returned. */
type OnMessage = (bytes: Buffer, start: number, end: number) => void;

/** Chromium's side of the DevTools pipe: JSON messages, each with a zero byte after it. */
export class MessageSplitter {
  readonly #onMessage: OnMessage;
  #parts: Buffer[] = [];
  #bytes = 0;

  constructor(onMessage: OnMessage) {
    this.#onMessage = onMessage;
  }

  /** So many bytes of the chunk. Throws at a message without end. */
  read(chunk: Buffer, length: number): void {
    let start = 0;
    for (let end = endOf(chunk, 0, length); end < length; end = endOf(chunk, start, length)) {
      if (this.#parts.length === 0) this.#onMessage(chunk, start, end);
      else {
        this.#parts.push(chunk.subarray(start, end));
        const message = Buffer.concat(this.#parts);
        this.#parts = [];
        this.#bytes = 0;
        this.#onMessage(message, 0, message.length);
      }
      start = end + 1;
    }
    if (start === length) return;
    this.#parts.push(Buffer.from(chunk.subarray(start, length)));
    this.#bytes += length - start;
    if (this.#bytes > maxMessageBytes) throw new Error('A message without end');
  }
}

/** Most messages are short, and looking at their bytes costs less than a call. */
const lookedAtBytes = 256;

/** Where the message ends that starts there; past the chunk's end where that is not in it. */
function endOf(chunk: Buffer, start: number, length: number): number {
  const near = Math.min(length, start + lookedAtBytes);
  for (let i = start; i < near; i++) if (chunk[i] === 0) return i;
  if (near === length) return length;
  const end = chunk.indexOf(0, near);
  return end === -1 ? length : end;
}
