import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { FileError } from './file-error.ts';
import type { SessionFiles } from './session-files.ts';

/** How long the rest of a refused upload is read, so that the client can read the answer. */
const drainMs = 5000;
/** A download is cancelled after this time without progress. */
const sendStallMs = 60_000;

const filesPath = /^\/cdp\/([^/?]+)\/files(?:\/([^/?]*))?(?:\?.*)?$/;

export interface FileTarget {
  cdpId: string;
  /** Undefined means the list of files. */
  name: string | undefined;
}

/** Returns undefined if the URL is not one of files. */
export function fileTarget(url: string): FileTarget | undefined {
  const [, cdpId, written] = filesPath.exec(url) ?? [];
  if (cdpId === undefined) return undefined;
  try {
    return { cdpId, name: written ? decodeURIComponent(written) : undefined };
  } catch {
    return undefined;
  }
}

/** Lists, sends, receives and deletes a session's files. */
export async function answerFiles(
  files: SessionFiles,
  name: string | undefined,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  // For HEAD, Node sends only the head of what is written here.
  const method = request.method === 'HEAD' ? 'GET' : request.method;
  try {
    if (name === undefined) {
      if (method !== 'GET') throw new FileError('bad-method');
      return json(response, 200, { files: await files.list() });
    }
    switch (method) {
      case 'GET':
        return await send(files, name, response, { bodyless: request.method === 'HEAD' });
      case 'PUT':
        await files.write(name, request, Number(request.headers['content-length'] ?? 0));
        return json(response, 200, { name });
      case 'DELETE':
        await files.remove(name);
        return json(response, 200, { name });
      default:
        throw new FileError('bad-method');
    }
  } catch (error) {
    if (response.headersSent || request.destroyed) return void response.destroy();
    const known = error instanceof FileError ? error : new FileError('not-written');
    const headers = {
      'x-error-code': known.code,
      ...(known.status === 429 ? { 'retry-after': '1' } : {}),
      ...(known.status === 405 ? { allow: name === undefined ? 'GET, HEAD' : 'DELETE, GET, HEAD, PUT' } : {}),
    };
    const text = writeHead(response, known.status, { code: known.code, error: known.message }, headers);
    if (request.complete) response.end(text);
    else {
      // A client that is still sending reads the answer only while we read its upload.
      response.write(text);
      const drained = setTimeout(() => request.destroy(), drainMs);
      request.once('close', () => {
        clearTimeout(drained);
        response.end();
      });
      request.resume();
    }
  }
}

async function send(
  files: SessionFiles,
  name: string,
  response: ServerResponse,
  { bodyless }: { bodyless: boolean },
): Promise<void> {
  const { content, bytes } = await files.read(name);
  response.writeHead(200, {
    // A file that a page made must not be shown as a page of the host.
    'content-type': 'application/octet-stream',
    'content-disposition': `attachment; filename*=UTF-8''${encodeURIComponent(name).replaceAll("'", '%27')}`,
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-store',
    'content-length': bytes,
  });
  if (bytes === 0 || bodyless) {
    content.destroy();
    response.end();
    return;
  }
  response.setTimeout(sendStallMs, () => response.destroy());
  await pipeline(content, response);
}

function json(response: ServerResponse, status: number, body: object): void {
  response.end(writeHead(response, status, body));
}

/** Returns the body to send after it. */
function writeHead(
  response: ServerResponse,
  status: number,
  body: object,
  headers: Record<string, string> = {},
): string {
  const text = JSON.stringify(body);
  response.writeHead(status, {
    'content-type': 'application/json; charset=utf-8',
    'cache-control': 'no-store',
    'content-length': Buffer.byteLength(text),
    ...headers,
  });
  return text;
}
