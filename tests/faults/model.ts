import type { SessionRow } from '../../apps/gateway/src/store/tables.ts';
import type { Fault } from './plan.ts';
import { quick } from './quick-time.ts';

/**
 * What a client of the cluster knows, what went wrong when, and what may have become of a session then. Times are
 * milliseconds since the epoch; all processes share one clock.
 */
export interface Trouble {
  does: Fault['does'];
  /** Undefined if it is every host's. */
  host?: string;
  from: number;
  until: number;
}

interface Span {
  from: number;
  until: number;
}

export interface KnownSession {
  id: string;
  host: string;
  cdpUrl: string;
  /** Once it was seen to have ended: for good. */
  final?: string;
}

/** A bill is right to the second. */
const promisedMs = 1000;
/** A host that is not heard of is lost, and its sessions ended, within one and a half leases; and a busy machine. */
const lostWithinMs = 1.5 * quick.leaseMs + 500;

export class Model {
  readonly known = new Map<string, KnownSession>();
  readonly #closes = new Map<string, Span[]>();
  readonly #crashes = new Map<string, number[]>();
  readonly #troubles: readonly Trouble[];

  constructor(troubles: readonly Trouble[]) {
    this.#troubles = troubles;
  }

  /** A close was sent; the answer's time is put in when it is there, and says that it was done. */
  closing(id: string): Span {
    const span = { from: Date.now(), until: Number.POSITIVE_INFINITY };
    this.#closes.set(id, [...(this.#closes.get(id) ?? []), span]);
    return span;
  }

  crashing(id: string): void {
    this.#crashes.set(id, [...(this.#crashes.get(id) ?? []), Date.now()]);
  }

  /** A status that somebody was told. Answers what is wrong with it. */
  saw(id: string, status: string): string | undefined {
    const session = this.known.get(id);
    if (!session) return undefined;
    if (session.final && session.final !== status) return `${id} was ${session.final} and is ${status}`;
    if (status !== 'ACTIVE') session.final = status;
    return undefined;
  }

  /** What is wrong with a session's row; undefined means nothing. */
  objection(row: SessionRow): string | undefined {
    const { id, state, created_at: begun, ended_at: ended } = row;
    const final = this.known.get(id)?.final;
    if (final && final !== state) return `${id} was seen ${final} and is ${state}`;
    if (state === 'STARTING') return undefined;
    if (state === 'ACTIVE') {
      if (ended !== null) return `${id} is ACTIVE and ended at ${ended}`;
      return this.#outlived(row) && `${id} is ACTIVE, and its host was lost: ${this.#story(row)}`;
    }
    if (ended === null || ended < begun) return `${id} is ${state} and ended at ${ended}, begun at ${begun}`;
    const billed = Math.max(quick.minBilledSeconds, Math.ceil((ended - begun) / 1000));
    if (row.billed_seconds !== billed) return `${id} is billed ${row.billed_seconds} s, not ${billed}`;
    const loss = this.#outlived(row);
    if (loss) return `${id} ended at ${ended}, and its host was lost at ${loss.from}: ${this.#story(row)}`;
    if (this.#mayHaveEnded(row, ended)) return undefined;
    return `${id} on ${row.host} is ${state} (${row.end_reason}) since ${ended}, and nothing happened to it then: ${this.#story(row)}`;
  }

  /** A host's loss that should have ended the session, and did not. */
  #outlived({ host, state, created_at: begun, ended_at: ended }: SessionRow): Trouble | undefined {
    if (state === 'EXPIRED') return undefined;
    return this.#troubles.find(
      (trouble) =>
        trouble.host === host &&
        trouble.until < Number.POSITIVE_INFINITY &&
        trouble.until - trouble.from > lostWithinMs &&
        begun < trouble.from &&
        (ended === null || ended > trouble.from + promisedMs) &&
        // Gateways that were away themselves give hosts more time.
        !this.#troubles.some(
          (other) => other.host === undefined && touches(other, trouble.from, trouble.until),
        ),
    );
  }

  #mayHaveEnded(row: SessionRow, ended: number): boolean {
    // A lost host's sessions end with its last word, which may be from before they began.
    const within = ({ from, until }: Span) =>
      ended >= Math.max(from - promisedMs, row.created_at) - 1 &&
      ended <= Math.max(until + promisedMs, row.created_at);
    switch (row.state) {
      case 'CLOSED':
        return (this.#closes.get(row.id) ?? []).some(within);
      case 'EXPIRED':
        return ended === row.expires_at && ended <= Date.now() && !this.#crashedBefore(row, ended);
      default:
        return this.#crashSpans(row).some(within) || this.#losses(row.host).some(within);
    }
  }

  /** A host that is out of touch may hear of a crash late, and tell of it late. */
  #crashSpans({ id, host }: SessionRow): Span[] {
    return (this.#crashes.get(id) ?? []).map((from) => {
      const troubles = this.#troublesOf(host).filter((trouble) => touches(trouble, from));
      return { from, until: Math.max(from, ...troubles.map(({ until }) => until + quick.leaseMs)) };
    });
  }

  /** A host that was never in trouble itself knows of it, and tells sooner or later. */
  #crashedBefore({ id, host, created_at }: SessionRow, ended: number): boolean {
    const ownTrouble = this.#troubles.some(
      (trouble) => trouble.host === host && touches(trouble, created_at, ended),
    );
    return !ownTrouble && (this.#crashes.get(id) ?? []).some((at) => at < ended - promisedMs);
  }

  /** When the last word of a host that was lost may have been. */
  #losses(host: string | null): Span[] {
    return this.#troubles
      .filter((trouble) => trouble.host === host)
      .map(({ from }) => ({ from: this.#lastWordBefore(host, from), until: from }));
  }

  /** No later than a heartbeat ago, unless there was other trouble then. */
  #lastWordBefore(host: string | null, at: number): number {
    const word = at - quick.heartbeatMs;
    const earlier = this.#troublesOf(host).filter((trouble) => trouble.from < at && touches(trouble, word));
    return earlier.length === 0
      ? word
      : this.#lastWordBefore(host, Math.min(...earlier.map(({ from }) => from)));
  }

  #troublesOf(host: string | null): Trouble[] {
    return this.#troubles.filter((trouble) => trouble.host === undefined || trouble.host === host);
  }

  #story(row: SessionRow): string {
    const closes = (this.#closes.get(row.id) ?? []).map(({ from, until }) => `close ${from}..${until}`);
    const crashes = (this.#crashes.get(row.id) ?? []).map((at) => `crash ${at}`);
    const troubles = this.#troublesOf(row.host)
      .filter(({ until }) => until > row.created_at - 10_000)
      .map(({ does, from, until }) => `${does} ${from}..${until}`);
    return [`begun ${row.created_at}`, ...closes, ...crashes, ...troubles].join(', ');
  }
}

/** Whether the trouble, or getting over it, was going on then. */
function touches({ from, until }: Span, since: number, to = since): boolean {
  return from <= to && since <= until + quick.leaseMs;
}
