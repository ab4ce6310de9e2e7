import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import type { Readable } from 'node:stream';
import { FileError } from './file-error.ts';

export interface ReceiveOptions {
  /** Ends it, with its reason. */
  signal: AbortSignal;
  /** The longest that nothing may come. */
  stallMs: number;
}

/**
 * Writes all of a stream to a file that is open, and closes the file, whatever the outcome. The stream is left as it
 * is: whoever sends it may still be answered.
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
  content.on('error', cutOff).on('close', cutOff); // For good: it may fail at any later time.
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
