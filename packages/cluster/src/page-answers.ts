import type { PageAnswer } from '@turnpike/contract/page/page-call';
import type { ScriptAnswer } from '@turnpike/contract/page/script';
import { parseBoundedJson } from '@turnpike/process/bounded-json';
import { joinHead, splitHead } from '@turnpike/process/head-and-bytes';

/** How a host answers a call about a page: of a page call, and of a script. */

export function encodePageAnswer(answer: PageAnswer | ScriptAnswer): Buffer {
  if ('error' in answer) return joinHead(answer);
  const { body, ...head } = answer;
  return joinHead(head, body);
}

/** Throws if it is not an answer. It comes from a host of the cluster. */
export function decodePageAnswer<Answer extends PageAnswer | ScriptAnswer>(bytes: Buffer): Answer {
  const split = splitHead(bytes);
  if (!split) throw new Error('The host answered with what is no page');
  const head = parseBoundedJson(split.head.toString()) as Answer;
  return 'error' in head ? head : { ...head, body: split.rest };
}
