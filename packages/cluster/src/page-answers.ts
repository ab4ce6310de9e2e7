import type { PageAnswer } from '@turnpike/contract/page/page-call';
import { parseBoundedJson } from '@turnpike/process/bounded-json';

/** How a host answers a page call: a head of JSON with its length before it, then the bytes. */

export function encodePageAnswer(answer: PageAnswer): Buffer {
  const { body, ...head } = 'body' in answer ? answer : { ...answer, body: new Uint8Array() };
  const json = Buffer.from(JSON.stringify(head));
  const length = Buffer.alloc(4);
  length.writeUInt32BE(json.length);
  return Buffer.concat([length, json, body]);
}

/** Throws if it is not an answer. It comes from a host of the cluster. */
export function decodePageAnswer(bytes: Buffer): PageAnswer {
  const end = 4 + bytes.readUInt32BE();
  const head = parseBoundedJson(bytes.toString('utf8', 4, end)) as PageAnswer;
  return 'error' in head ? head : { ...head, body: bytes.subarray(end) };
}
