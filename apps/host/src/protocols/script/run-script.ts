import type { Socket } from 'node:net';
import { addAbortSignal } from 'node:stream';
import {
  maxScriptAnswerBytes,
  type ScriptAnswer,
  type ScriptCall,
  type ScriptWork,
} from '@turnpike/contract/page/script';
import { parseBoundedJson } from '@turnpike/process/bounded-json';
import { joinHead } from '@turnpike/process/head-and-bytes';
import type { ByteBudget } from '../../memory/byte-budget.ts';
import { drained } from '../program.ts';
import type { Worker } from '../worker.ts';
import { unknownType } from './content-type.ts';
import { lighthouseFiles } from './lighthouse-files.ts';
import type { ScriptOrder } from './order.ts';

/** More than a type, a name and an error need. */
const maxHeadBytes = 16 * 1024;
const maxMessageLength = 4000;
const maxNameBytes = 200;

const lengthBytes = 4;

export const scriptFailed = (message: string): ScriptAnswer => ({
  error: { code: 'SCRIPT_FAILED', message },
});

export function scriptLate({ kind, timeoutMs }: ScriptCall): ScriptAnswer {
  const missing = kind === 'download' ? ' No file was downloaded until then.' : '';
  const message = `The script took longer than ${Math.round(timeoutMs)} ms.${missing}`;
  return { error: { code: 'SCRIPT_TIMEOUT', message } };
}

const ended = 'The process of the script ended before it answered. It may have used too much memory.';
const malformed = 'The process of the script answered with what is no result.';

/**
 * Gives a script to its worker, and reads the answer. Rejects only if the signal aborts. Memory for the answer is the
 * session's, and is taken when its length is known.
 */
export async function runScript(
  worker: Worker,
  { timeoutMs: _, ...call }: ScriptCall,
  budget: ByteBudget,
  signal: AbortSignal,
): Promise<ScriptAnswer> {
  const socket = await worker.connectClient(signal);
  socket.on('error', () => {}); // The reads below end with it.
  addAbortSignal(signal, socket);
  using reader = new AnswerReader(budget);
  try {
    await sendOrder(socket, call as ScriptWork);
    for await (const chunk of socket) {
      const answer = reader.read(chunk as Buffer);
      if (answer) return answer;
    }
  } catch {
    signal.throwIfAborted();
  } finally {
    socket.destroy();
  }
  return scriptFailed(ended);
}

async function sendOrder(socket: Socket, work: ScriptWork): Promise<void> {
  const { files, entry } = work.kind === 'performance' ? await lighthouseFiles() : { files: [], entry: '' };
  const sent = files.map(({ path, bytes }): [string, number] => [path, bytes]);
  const order: ScriptOrder = { ...work, maxBytes: maxScriptAnswerBytes, files: sent, entry };
  socket.write(joinHead(order));
  for (const { read } of files) {
    const content = await read();
    if (socket.destroyed) throw new Error('The worker is gone');
    if (!socket.write(content)) await drained(socket);
  }
}

/** Reads what a worker answers: see `order.ts`. */
export class AnswerReader implements Disposable {
  readonly #budget: Pick<ByteBudget, 'reserve'>;
  readonly #start = Buffer.allocUnsafe(maxHeadBytes);
  #started = 0;
  #head: Head | undefined;
  #body = Buffer.alloc(0);
  #filled = 0;
  #reserved: Disposable | undefined;

  constructor(budget: Pick<ByteBudget, 'reserve'>) {
    this.#budget = budget;
  }

  /** Returns the answer when it is whole, or when it cannot be one. */
  read(chunk: Buffer): ScriptAnswer | undefined {
    if (this.#head) return this.#fill(this.#head, chunk);
    const taken = chunk.copy(this.#start, this.#started);
    this.#started += taken;
    if (this.#started < lengthBytes) return undefined;
    const end = lengthBytes + this.#start.readUInt32BE();
    if (end > maxHeadBytes) return scriptFailed(malformed);
    if (this.#started < end) return undefined;
    const head = readHead(this.#start.toString('utf8', lengthBytes, end));
    if ('error' in head) return head;
    this.#reserved = this.#budget.reserve(head.bytes);
    if (!this.#reserved) return scriptFailed('The session has no room for the answer of the script.');
    this.#head = head;
    this.#body = Buffer.allocUnsafeSlow(head.bytes);
    return (
      this.#fill(head, this.#start.subarray(end, this.#started)) ?? this.#fill(head, chunk.subarray(taken))
    );
  }

  #fill({ bytes, ...head }: Head, chunk: Buffer): ScriptAnswer | undefined {
    this.#filled += chunk.copy(this.#body, this.#filled);
    return this.#filled === bytes ? { ...head, body: this.#body } : undefined;
  }

  [Symbol.dispose](): void {
    this.#reserved?.[Symbol.dispose]();
  }
}

interface Head {
  type: string;
  bytes: number;
  fileName?: string;
}

/** As in RFC 9110: a type, and parameters without anything that could end the header. */
const contentType = /^[\w!#$&^.+-]{1,100}\/[\w!#$&^.+-]{1,100}(?:; ?[\w-]{1,50}=[\w.+-]{1,100}){0,4}$/;

function readHead(text: string): Head | (ScriptAnswer & { error: unknown }) {
  const refused = (message: string) => scriptFailed(message) as ScriptAnswer & { error: unknown };
  let head: unknown;
  try {
    head = parseBoundedJson(text);
  } catch {
    return refused(malformed);
  }
  const { type, bytes, fileName, error } = (head ?? {}) as Record<string, unknown>;
  if (typeof error === 'string') return refused(error.slice(0, maxMessageLength));
  if (typeof type !== 'string' || typeof bytes !== 'number' || !Number.isInteger(bytes) || bytes < 0)
    return refused(malformed);
  if (bytes > maxScriptAnswerBytes)
    return refused(`The answer of the script has ${bytes} bytes. That is too much.`);
  const name =
    typeof fileName === 'string' && Buffer.byteLength(fileName) <= maxNameBytes && fileName.toWellFormed();
  return { type: contentType.test(type) ? type : unknownType, bytes, ...(name && { fileName: name }) };
}
