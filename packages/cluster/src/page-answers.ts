import type { PageAnswer } from '@turnpike/contract/page/page-call';
import { parseBoundedJson } from '@turnpike/process/bounded-json';
import { joinHead, splitHead } from '@turnpike/process/head-and-bytes';

/** How a host answers a page call. */

export function encodePageAnswer(answer: PageAnswer): Buffer {
  if ('error' in answer) return joinHead(answer);
  const { body, ...head } = answer;
  return joinHead(head, body);
}

/** Throws if it is not an answer. It comes from a host of the cluster. */
export function decodePageAnswer(bytes: Buffer): PageAnswer {
  const split = splitHead(bytes);
  if (!split) throw new Error('The host answered with what is no page');
  const head = parseBoundedJson(split.head.toString()) as PageAnswer;
  return 'error' in head ? head : { ...head, body: split.rest };
}
