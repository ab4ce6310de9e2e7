import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import type { Readable } from 'node:stream';
import { FileError } from './file-error.ts';

export interface ReceiveOptions {
  /** Cancels it, with its reason. */
  signal: AbortSignal;
  /** The longest time without a byte. */
  stallMs: number;
}

/**
 * Writes a stream to an open file, and closes the file in any case. Does not close the stream: its sender may still be
 * answered.
 */
export async function receiveFile(
  content: Readable,
  descriptor: number,
  { signal, stallMs }: ReceiveOptions,
): Promise<void> {
  const file = createWriteStream('', { fd: descriptor });
  const { promise: written, resolve, reject } = Promise.withResolvers<void>();
  const stalled = setTimeout(() => reject(new FileError('stalled')), stallMs);
  const cutOff = () => {
    if (!content.readableEnded) reject(new FileError('cut-off'));
  };
  const abort = () => reject(signal.reason);
  const refresh = () => stalled.refresh();
  signal.addEventListener('abort', abort);
  file.on('error', reject).on('finish', resolve);
  content.on('error', cutOff).on('close', cutOff); // Not removed below: it may fail at any later time.
  content.on('data', refresh).pipe(file);
  if (signal.aborted) abort();
  if (content.destroyed) cutOff();
  try {
    await written;
  } finally {
    clearTimeout(stalled);
    signal.removeEventListener('abort', abort);
    content.off('data', refresh).unpipe(file);
    file.destroy();
    if (!file.closed) await once(file, 'close');
  }
}
