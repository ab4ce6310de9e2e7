import { close, mayTryAgain, read, shutdownWriting, write } from '../../native/libc.ts';
import { type Channel, type ChannelHandler, channelEnded } from '../channel/channel.ts';
import type { Poller } from './poller.ts';

/** A channel on a descriptor, by system calls. */
export class DescriptorChannel implements Channel {
  readonly #descriptor: number;
  readonly #poller: Poller;

  constructor(descriptor: number, poller: Poller) {
    this.#descriptor = descriptor;
    this.#poller = poller;
  }

  read(into: Buffer, maxBytes: number): number {
    const count = read(this.#descriptor, into, maxBytes);
    if (count > 0) return count;
    return count === 0 || !mayTryAgain() ? channelEnded : 0;
  }

  write(bytes: Uint8Array, length: number): number {
    const count = write(this.#descriptor, bytes, length);
    if (count >= 0) return count;
    return mayTryAgain() ? 0 : channelEnded;
  }

  watch(handler: ChannelHandler, wanted: { read: boolean; write: boolean }): void {
    this.#poller.watch(this.#descriptor, handler, wanted);
  }

  endWriting(): void {
    shutdownWriting(this.#descriptor);
  }

  close(): void {
    this.#poller.forget(this.#descriptor);
    close(this.#descriptor);
  }
}
