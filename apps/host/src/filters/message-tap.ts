import { hrtimeMs } from '../native/hrtime.ts';
import type { FilteredClient, MessageFilter } from './message-filter.ts';

/** A message between a client and its browser, for the host to record. */
export interface TappedMessage {
  clientId: number;
  from: 'client' | 'browser';
  /** All of it or, of a large one, its first and last bytes. */
  text: string;
  isWhole: boolean;
  /**
   * The CDP session that it is for, where the switchboard knows it; undefined means the connection's own, or not known.
   */
  cdpSessionId: string | undefined;
  /** By `hrtimeMs`. */
  at: number;
  /** How many messages before it could not be reported. */
  dropped: number;
}

/** Larger commands are reported in part; answers, which are seldom read, too. */
const maxCommandBytes = 64 * 1024;
const maxAnswerBytes = 1024;
const [firstBytes, lastBytes] = [256, 128];

const answerPrefix = Buffer.from('{"id":');

/** Reports clients' commands and their answers to the host, in a session that is recorded. Drops what it cannot take. */
export class MessageTap implements MessageFilter {
  readonly #report: (message: TappedMessage) => boolean;
  #dropped = 0;

  /** `report` returns false if the host cannot take more. */
  constructor(report: (message: TappedMessage) => boolean) {
    this.#report = report;
  }

  fromClient(
    { clientId }: FilteredClient,
    cdpSessionId: string | undefined,
    bytes: Buffer,
    start: number,
    end: number,
  ): undefined {
    this.#tell({ clientId, cdpSessionId, from: 'client', ...textOf(bytes, start, end, maxCommandBytes) });
  }

  /** Events are not reported. */
  fromBrowser(
    { clientId, rootCdpSessionId }: FilteredClient,
    cdpSessionId: string,
    bytes: Buffer,
    start: number,
    end: number,
  ): undefined {
    const prefixEnd = start + answerPrefix.length;
    if (end < prefixEnd || bytes.compare(answerPrefix, 0, answerPrefix.length, start, prefixEnd) !== 0)
      return;
    const ofSession = cdpSessionId === rootCdpSessionId ? undefined : cdpSessionId;
    const text = textOf(bytes, start, end, maxAnswerBytes);
    this.#tell({ clientId, cdpSessionId: ofSession, from: 'browser', ...text });
  }

  #tell(message: Omit<TappedMessage, 'at' | 'dropped'>): void {
    const isTaken = this.#report({ ...message, at: hrtimeMs(), dropped: this.#dropped });
    this.#dropped = isTaken ? 0 : this.#dropped + 1;
  }
}

function textOf(bytes: Buffer, start: number, end: number, maxBytes: number) {
  if (end - start <= maxBytes) return { text: bytes.toString('utf8', start, end), isWhole: true };
  const first = bytes.toString('latin1', start, start + firstBytes);
  return { text: `${first}\n${bytes.toString('latin1', end - lastBytes, end)}`, isWhole: false };
}
