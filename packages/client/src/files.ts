import type { SessionFile } from './answers.ts';
import type { CallOptions } from './options.ts';
import { errorOf } from './transport/answer-error.ts';
import type { Deadline } from './transport/deadline.ts';
import {
  jsonOf,
  notFromGateway,
  type Transport,
  wholeAnswer,
  withNetworkErrors,
} from './transport/transport.ts';

export type FileContent = string | Uint8Array<ArrayBuffer> | Blob | ReadableStream<Uint8Array>;

type Method = 'GET' | 'PUT' | 'DELETE';

/**
 * Files of running sessions. The gateway redirects to the machine that has them; requests go there without the key, to
 * a URL that is a secret in itself.
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

  /** Streams a file's content: `await writeFile(path, await turnpike.files.download(id, name))`. */
  async download(
    sessionId: string,
    name: string,
    options: CallOptions = {},
  ): Promise<ReadableStream<Uint8Array>> {
    const response = await this.#ask('GET', sessionId, name, options);
    return response.body ?? new ReadableStream({ start: (controller) => controller.close() });
  }

  /** Uploads a file, which the browser finds at `/home/user/files/<name>`. Replaces a file of that name. */
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
    if (!/^https?:\/\//.test(location)) throw notFromGateway(answer);
    const response = await askHost(location, { method, content, deadline });
    if (response.status !== 200) throw errorOf(await wholeAnswer(response), 'other');
    return response;
  }
}

function askHost(
  url: string,
  { method, content, deadline }: { method: Method; content: FileContent | undefined; deadline: Deadline },
): Promise<Response> {
  // fetch requires `duplex` for a body that is a stream.
  const body = content === undefined ? {} : { body: content, duplex: 'half' as const };
  const asked = fetch(url, { method, ...body, redirect: 'manual', signal: deadline.signal });
  return withNetworkErrors(asked).catch((error) => {
    throw deadline.isOver ? deadline.reason() : error;
  });
}
