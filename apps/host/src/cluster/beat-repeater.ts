import { toldLater } from '@turnpike/contract/host/browser-report';
import type { Heartbeat, HeartbeatAnswer } from '@turnpike/contract/host/heartbeat';

export interface BeatRepeaterOptions {
  /** Sends a heartbeat to a gateway; rejects when none accepted it. */
  send(beat: Heartbeat, signal: AbortSignal): Promise<HeartbeatAnswer>;
  /** Told what a gateway answered to a report that was sent again. */
  onRepeated(answer: HeartbeatAnswer, sentAt: number): void;
  heartbeatMs: number;
  leaseMs: number;
}

/** Numbers between two reports of the host, for repeats of the first. A repeat is older than the next report. */
const seqStep = 100;

/**
 * Sends a host's reports to the gateways. While the host delivers no new one, sends the last one again, so that its
 * lease does not depend on the thread that makes the reports. A host that delivers none for three leases is dead: its
 * lease lapses.
 */
export class BeatRepeater {
  readonly #options: BeatRepeaterOptions;
  #timer: NodeJS.Timeout | undefined;
  #repeat: AbortController | undefined;
  /** Whether a gateway knows this run. */
  #isJoined = false;

  constructor(options: BeatRepeaterOptions) {
    this.#options = options;
  }

  /** Sends a new report. Its number leaves room for repeats. */
  async deliver(report: Heartbeat): Promise<HeartbeatAnswer> {
    this.stop();
    const beat = { ...report, seq: report.seq * seqStep };
    const deliveredAt = performance.now();
    let answer: HeartbeatAnswer | undefined;
    try {
      answer = await this.#options.send(beat, new AbortController().signal);
      return answer;
    } finally {
      this.#isJoined ||= answer?.outcome === 'accepted';
      if (this.#isJoined && beat.phase !== 'left' && mayContinue(answer))
        this.#repeatIn(2 * this.#options.heartbeatMs, { beat, deliveredAt, times: 1 });
    }
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#repeat?.abort(new Error('a new report came'));
  }

  #repeatIn(ms: number, last: Delivered): void {
    this.#timer = setTimeout(() => void this.#sendAgain(last), ms);
  }

  async #sendAgain(last: Delivered): Promise<void> {
    const { send, onRepeated, heartbeatMs, leaseMs } = this.#options;
    const sentAt = performance.now();
    if (sentAt - last.deliveredAt > 3 * leaseMs || last.times === seqStep) return;
    const repeat = new AbortController();
    this.#repeat = repeat;
    let answer: HeartbeatAnswer | undefined;
    try {
      answer = await send(repeatOf(last.beat, last.times, sentAt - last.deliveredAt), repeat.signal);
      onRepeated(answer, sentAt);
    } catch {
      // No gateway answers: the next repeat may find one.
    }
    if (repeat.signal.aborted || !mayContinue(answer)) return;
    this.#repeatIn(answer ? heartbeatMs : heartbeatMs / 2, { ...last, times: last.times + 1 });
  }
}

interface Delivered {
  beat: Heartbeat;
  deliveredAt: number;
  times: number;
}

/** Whether the gateways may still know this run. */
const mayContinue = (answer: HeartbeatAnswer | undefined): boolean =>
  answer === undefined || answer.outcome === 'accepted' || answer.outcome === 'stale';

/**
 * The same report later. It offers no seats, because nobody would start a browser. `sentAt` stays as it was: the report
 * says nothing of sessions that are younger. What is counted from its arrival has become older.
 */
export function repeatOf(beat: Heartbeat, times: number, laterMs: number): Heartbeat {
  const later = Math.round(laterMs);
  const ago = (name: 'connectedAgoMs' | 'disconnectedAgoMs', value: number | undefined) =>
    value === undefined ? {} : { [name]: value + later };
  return {
    ...beat,
    seq: beat.seq + times,
    seats: 0,
    running: beat.running.map((browser) => ({
      ...browser,
      ...ago('connectedAgoMs', browser.connectedAgoMs),
      ...ago('disconnectedAgoMs', browser.disconnectedAgoMs),
    })),
    endings: beat.endings.map((ended) => toldLater(ended, later)),
  };
}
