import { parentPort, workerData } from 'node:worker_threads';
import { maxPageAnswerBytes } from '@turnpike/contract/page/page-call';
import { FilterLists } from '../saving/filter-lists.ts';
import { AnswerMemory } from './devtools/answer-memory.ts';
import { runCall } from './run-call.ts';
import type { FromPageThread, PageThreadData, ThreadCall, ToPageThread } from './thread-messages.ts';

/** The page thread: it drives pages for calls. What a page sends it is bounded, and every call has a deadline. */

const { socketPath, blockLists } = workerData as PageThreadData;
// The host's main thread has those of `block`.
const filterLists = new FilterLists(blockLists.banners ? { banners: blockLists.banners } : {});
const memory = new AnswerMemory(8 * maxPageAnswerBytes);
const running = new Map<number, AbortController>();

parentPort?.on('message', (message: ToPageThread) => {
  if ('cancel' in message) running.get(message.id)?.abort();
  else void run(message);
});

async function run({ id, ...call }: ThreadCall): Promise<void> {
  const cancelling = new AbortController();
  running.set(id, cancelling);
  const answer = await runCall(call, { socketPath, memory, filterLists }, cancelling.signal);
  running.delete(id);
  if ('body' in answer) answer.body = inOwnMemory(answer.body);
  const transfer = 'body' in answer ? [answer.body.buffer as ArrayBuffer] : [];
  parentPort?.postMessage({ id, answer } satisfies FromPageThread, transfer);
}

/** Short buffers are parts of Node's pool, which stays on its thread. */
function inOwnMemory(bytes: Uint8Array): Uint8Array {
  return bytes.byteLength === bytes.buffer.byteLength ? bytes : new Uint8Array(bytes);
}
