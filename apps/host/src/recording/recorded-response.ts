import type { RecordedEvent } from '@turnpike/contract/recording';
import type { Protocol } from 'devtools-protocol';
import { maxLineBytes } from './event-log.ts';
import { maxReadOfBody } from './masks/mask.ts';

type Timing = NonNullable<Extract<RecordedEvent, { kind: 'response' }>['timing']>;

/** What a line has besides a body. */
const lineOverhead = 512;
export const maxBodyBytes = maxLineBytes - lineOverhead;

const textTypes = /^text\/|[/+](?:json|xml|javascript|ecmascript|x-www-form-urlencoded|graphql)\b/i;

/** What a response is; undefined means nothing whose body is recorded. */
export type Content = 'text' | 'picture' | undefined;

export function contentOf(mimeType: string): Content {
  if (textTypes.test(mimeType)) return 'text';
  return /^image\//i.test(mimeType) ? 'picture' : undefined;
}

/** As much of a body as is masked. */
export function textOfBase64(body: string): string {
  const maxBytes = 4 * maxReadOfBody;
  return Buffer.from(body.slice(0, Math.ceil((maxBytes * 4) / 3)), 'base64').toString();
}

/** As much of a body as fits into a line of JSON. */
export function cutBody(body: string): string {
  let fitting = body.slice(0, maxBodyBytes);
  for (let bytes = jsonBytes(fitting); bytes > maxBodyBytes; bytes = jsonBytes(fitting)) {
    fitting = fitting.slice(0, Math.floor((fitting.length * maxBodyBytes) / bytes) - 1).toWellFormed();
  }
  return fitting;
}

const jsonBytes = (text: string): number => Buffer.byteLength(JSON.stringify(text));

export function timingOf(timing: Protocol.Network.ResourceTiming | undefined): Timing | undefined {
  if (!timing) return undefined;
  const span = (start: number, end: number) => (start >= 0 && end >= start ? round(end - start) : undefined);
  const first = [timing.dnsStart, timing.connectStart, timing.sendStart].find((start) => start >= 0);
  const spans = {
    blocked: first === undefined ? undefined : round(first),
    connect: span(timing.connectStart, timing.connectEnd),
    ssl: span(timing.sslStart, timing.sslEnd),
    send: span(timing.sendStart, timing.sendEnd),
    wait: span(timing.sendEnd, timing.receiveHeadersEnd),
  };
  return Object.fromEntries(Object.entries(spans).filter(([, value]) => value !== undefined));
}

const round = (ms: number): number => Math.round(ms * 10) / 10;
