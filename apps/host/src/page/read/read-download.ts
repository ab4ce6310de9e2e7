import { type IncomingMessage, request } from 'node:http';
import { maxPageAnswerBytes } from '@turnpike/contract/page/page-call';
import type { CalledPage } from '../called-page.ts';
import type { AnswerMemory } from '../devtools/answer-memory.ts';
import { tooLarge } from '../devtools/devtools.ts';
import type { Download } from '../load/page-events.ts';
import { PageError } from '../page-error.ts';
import type { PageBody } from './read-formats.ts';

export interface DownloadOptions {
  socketPath: string;
  cdpId: string;
  memory: AnswerMemory;
}

interface FileEntry {
  name: string;
  bytes: number;
  modifiedAt: string;
}

const maxListBytes = 2 ** 22;

/** Waits for a download and reads it from the session's files. */
export async function readDownload(
  { devtools, events }: CalledPage,
  download: Download,
  options: DownloadOptions,
): Promise<PageBody> {
  while (download.state === 'inProgress') {
    if (download.bytes > maxPageAnswerBytes) {
      devtools.tell('Browser.cancelDownload', { guid: download.guid });
      throw tooLarge(maxPageAnswerBytes);
    }
    await events.changed;
  }
  if (download.state === 'canceled')
    throw new PageError(
      'PAGE_FAILED',
      'The download failed. Try again, or check that the server sends all of it.',
    );
  const { files } = JSON.parse((await readFile(options, '', maxListBytes)).toString()) as {
    files: FileEntry[];
  };
  // A file with this name may have been there before; then the browser has added a number.
  const file = files.toSorted((a, b) => b.modifiedAt.localeCompare(a.modifiedAt))[0];
  if (!file) throw new PageError('PAGE_FAILED', "The download is not among the session's files.");
  const body = await readFile(options, file.name, maxPageAnswerBytes);
  const type = events.lastResponse?.headers['content-type'] ?? 'application/octet-stream';
  return { type, body, fileName: download.fileName.slice(0, 255) };
}

/** An empty name is the list of files. */
async function readFile(
  { socketPath, cdpId, memory }: DownloadOptions,
  name: string,
  maxBytes: number,
): Promise<Buffer> {
  const path = `/cdp/${cdpId}/files${name === '' ? '' : `/${encodeURIComponent(name)}`}`;
  const response = await get(socketPath, path);
  const bytes = Number(response.headers['content-length'] ?? Number.NaN);
  if (response.statusCode !== 200 || !(bytes <= maxBytes)) {
    response.destroy();
    if (bytes > maxBytes) throw tooLarge(maxBytes);
    throw new PageError('PAGE_FAILED', "The download could not be read from the session's files.");
  }
  using _ = await memory.reserve(bytes);
  const body = Buffer.allocUnsafeSlow(bytes);
  let at = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) at += chunk.copy(body, at);
  return body.subarray(0, at);
}

function get(socketPath: string, path: string): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const asked = request({ socketPath, path, agent: false, timeout: fileTimeoutMs }, resolve);
  asked.on('timeout', () => asked.destroy(new Error('The file did not come in time')));
  asked.on('error', reject);
  asked.end();
  return promise;
}

const fileTimeoutMs = 10_000;
