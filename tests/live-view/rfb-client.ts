import { once } from 'node:events';
import { WebSocket } from 'ws';

const fenceEncoding = -312;
const fence = 248;
const fenceRequest = 0x80000000;

/** A viewer that writes RFB itself, and so can send what no viewer would. */
export class RfbClient {
  readonly socket: WebSocket;
  /** How it was closed. */
  readonly closed: Promise<{ code: number; reason: string }>;
  #received = Buffer.alloc(0);
  #more = Promise.withResolvers<void>();

  constructor(url: string) {
    this.socket = new WebSocket(url);
    this.socket.on('message', (data) => {
      this.#received = Buffer.concat([this.#received, data as Buffer]);
      this.#more.resolve();
      this.#more = Promise.withResolvers();
    });
    this.closed = new Promise((resolve) => {
      this.socket.on('close', (code, reason) => resolve({ code, reason: String(reason) }));
    });
  }

  /** Up to where messages begin, with fences on. */
  static async connect(url: string): Promise<RfbClient> {
    const client = new RfbClient(url);
    await once(client.socket, 'open');
    await client.take(12);
    client.send(Buffer.from('RFB 003.008\n'));
    await client.take(2);
    client.send(Buffer.of(1));
    await client.take(4);
    client.send(Buffer.of(1));
    const init = await client.take(24);
    await client.take(init.readUInt32BE(20));
    const encodings = Buffer.from([2, 0, 0, 1, 0, 0, 0, 0]);
    encodings.writeInt32BE(fenceEncoding, 4);
    client.send(encodings);
    return client;
  }

  send(...messages: Buffer[]): void {
    this.socket.send(Buffer.concat(messages));
  }

  /** Resolves when the display has read all that was sent before. */
  async settled(): Promise<void> {
    const payload = Buffer.from(`mark ${Math.random()}`.slice(0, 12));
    const head = Buffer.alloc(9);
    head.writeUInt8(fence, 0);
    head.writeUInt32BE(fenceRequest, 4);
    head.writeUInt8(payload.length, 8);
    this.send(head, payload);
    while (!this.#received.includes(payload)) await this.#more.promise;
    this.#received = Buffer.alloc(0);
  }

  async take(length: number): Promise<Buffer> {
    while (this.#received.length < length) await this.#more.promise;
    const taken = this.#received.subarray(0, length);
    this.#received = this.#received.subarray(length);
    return taken;
  }
}

export function keyPress(keysym: number): Buffer {
  return Buffer.concat([1, 0].map((down) => Buffer.of(4, down, 0, 0, 0, 0, keysym >> 8, keysym & 255)));
}

export function extendedKeyPress(keysym: number, scancode: number): Buffer {
  return Buffer.concat(
    [1, 0].map((down) => Buffer.of(255, 0, 0, down, 0, 0, keysym >> 8, keysym & 255, 0, 0, 0, scancode)),
  );
}

export function click(x: number, y: number): Buffer {
  return Buffer.concat([0, 1, 0].map((mask) => Buffer.of(5, mask, x >> 8, x & 255, y >> 8, y & 255)));
}

export function cutText(text: string): Buffer {
  return Buffer.concat([Buffer.of(6, 0, 0, 0, 0, 0, 0, text.length), Buffer.from(text, 'latin1')]);
}

export function desktopSize(width: number, height: number): Buffer {
  const message = Buffer.alloc(24);
  message.writeUInt8(251, 0);
  message.writeUInt16BE(width, 2);
  message.writeUInt16BE(height, 4);
  message.writeUInt8(1, 6);
  message.writeUInt16BE(width, 16);
  message.writeUInt16BE(height, 18);
  return message;
}
