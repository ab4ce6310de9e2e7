import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { FileError } from './file-error.ts';
import type { SessionFiles } from './session-files.ts';

const readOnMs = 5000;
/** For a client that takes nothing of what it asked for. */
const sendStallMs = 60_000;

const filesPath = /^\/cdp\/([^/?]+)\/files(?:\/([^/?]*))?(?:\?.*)?$/;

export interface FileTarget {
  cdpId: string;
  /** Undefined: all of them. */
  name: string | undefined;
}

/** Undefined: not about files. */
export function fileTarget(url: string): FileTarget | undefined {
  const [, cdpId, written] = filesPath.exec(url) ?? [];
  if (cdpId === undefined) return undefined;
  try {
    return { cdpId, name: written ? decodeURIComponent(written) : undefined };
  } catch {
    return undefined;
  }
}

/** Lists, sends, takes and removes a session's files. */
export async function answerFiles(
  files: SessionFiles,
  name: string | undefined,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  try {
    if (name === undefined) {
      if (request.method !== 'GET') throw new FileError('not-found');
      return json(response, 200, { files: await files.list() });
    }
    switch (request.method) {
      case 'GET':
        return await send(files, name, response);
      case 'PUT':
        await files.write(name, request, Number(request.headers['content-length'] ?? 0));
        return json(response, 200, { name });
      case 'DELETE':
        await files.remove(name);
        return json(response, 200, { name });
      default:
        throw new FileError('not-found');
    }
  } catch (error) {
    if (response.headersSent || request.destroyed) return void response.destroy();
    const known = error instanceof FileError ? error : new FileError('not-written');
    const headers = known.status === 429 ? { 'retry-after': '1' } : {};
    const text = writeHead(response, known.status, { error: known.message }, headers);
    if (request.complete) response.end(text);
    else {
      // Who is still sending hears why only if the connection stays and we take what is on its way; for a while.
      response.write(text);
      const enough = setTimeout(() => request.destroy(), readOnMs);
      request.once('close', () => {
        clearTimeout(enough);
        response.end();
      });
      request.resume();
    }
  }
}

async function send(files: SessionFiles, name: string, response: ServerResponse): Promise<void> {
  const { content, bytes } = await files.read(name);
  response.writeHead(200, {
    // What a page made is never shown as a page of the host's.
    'content-type': 'application/octet-stream',
    'content-disposition': `attachment; filename*=UTF-8''${encodeURIComponent(name).replaceAll("'", '%27')}`,
    'x-content-type-options': 'nosniff',
    'content-length': bytes,
  });
  if (bytes === 0) {
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

/** Answers what is to follow it. */
function writeHead(
  response: ServerResponse,
  status: number,
  body: object,
  headers: Record<string, string> = {},
): string {
  const text = JSON.stringify(body);
  response.writeHead(status, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(text),
    ...headers,
  });
  return text;
}
