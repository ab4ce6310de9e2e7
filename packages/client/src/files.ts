import { errorOf } from './answer-error.ts';
import type { SessionFile } from './answers.ts';
import type { Deadline } from './deadline.ts';
import type { CallOptions } from './options.ts';
import { carried, jsonOf, notOurs, type Transport, wholeAnswer } from './transport.ts';

export type FileContent = string | Uint8Array<ArrayBuffer> | Blob | ReadableStream<Uint8Array>;

type Method = 'GET' | 'PUT' | 'DELETE';

/**
 * Files of running sessions. The gateway says on which machine they are; they are asked for there, at a URL that is a
 * secret in itself, without the key.
 */
export class Files {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  async list(sessionId: string, options: CallOptions = {}): Promise<SessionFile[]> {
    const response = await this.#ask('GET', sessionId, undefined, options);
    return (jsonOf(await wholeAnswer(response)) as { files: SessionFile[] }).files;
  }

  /** Its content, as it comes: `await writeFile(path, await turnpike.files.download(id, name))`. */
  async download(
    sessionId: string,
    name: string,
    options: CallOptions = {},
  ): Promise<ReadableStream<Uint8Array>> {
    const response = await this.#ask('GET', sessionId, name, options);
    return response.body ?? new ReadableStream({ start: (controller) => controller.close() });
  }

  /** Then at `/home/user/files/<name>` for the browser. Replaces what has that name. */
  async upload(
    sessionId: string,
    name: string,
    content: FileContent,
    options: CallOptions = {},
  ): Promise<void> {
    await wholeAnswer(await this.#ask('PUT', sessionId, name, options, content));
  }

  async delete(sessionId: string, name: string, options: CallOptions = {}): Promise<void> {
    await wholeAnswer(await this.#ask('DELETE', sessionId, name, options));
  }

  async #ask(
    method: Method,
    sessionId: string,
    name: string | undefined,
    options: CallOptions,
    content?: FileContent,
  ): Promise<Response> {
    const deadline = this.#transport.deadline(options);
    const files = `/api/browser/${encodeURIComponent(sessionId)}/files`;
    const path = name === undefined ? files : `${files}/${encodeURIComponent(name)}`;
    const asked = { path, method, purpose: 'session', success: 307 } as const;
    const answer = await this.#transport.call(asked, options);
    const location = answer.headers.get('location') ?? '';
    if (!/^https?:\/\//.test(location)) throw notOurs(answer);
    const response = await askHost(location, { method, content, deadline });
    if (response.status !== 200) throw errorOf(await wholeAnswer(response), 'other');
    return response;
  }
}

function askHost(
  url: string,
  { method, content, deadline }: { method: Method; content: FileContent | undefined; deadline: Deadline },
): Promise<Response> {
  // A body that is a stream is sent while the answer may already come, which fetch wants to be told.
  const body = content === undefined ? {} : { body: content, duplex: 'half' as const };
  const asked = fetch(url, { method, ...body, redirect: 'manual', signal: deadline.signal });
  return carried(asked).catch((error) => {
    throw deadline.isOver ? deadline.reason() : error;
  });
}
