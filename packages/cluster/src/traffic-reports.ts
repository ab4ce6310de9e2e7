import type { EndedBrowser, RunningBrowser, RunningHost } from '@turnpike/contract/host';
import type { RunningReport } from '@turnpike/contract/host/browser-report';
import { maxDestinations, withLargest } from '@turnpike/contract/traffic';

/** Destinations by name in one heartbeat, of running sessions and of ended ones. A gateway reads at most 4 MiB. */
const maxInBeat = 3000;

/** Adds to a heartbeat where sessions' bytes went: of those whose traffic has changed since the last accepted one. */
export class TrafficReports {
  readonly #host: RunningHost;
  /** What was accepted, by session. */
  #accepted = new Map<string, string>();
  #sent = new Map<string, string>();

  constructor(host: RunningHost) {
    this.#host = host;
  }

  running(): RunningReport[] {
    const browsers = this.#host.list();
    this.#sent = new Map(browsers.map((browser) => [browser.sessionId, stateOf(browser)]));
    const changed = browsers.filter(
      ({ sessionId }) => this.#accepted.get(sessionId) !== this.#sent.get(sessionId),
    );
    const share = destinationsEach(changed.length);
    const reports = new Map(
      changed.map(({ sessionId }) => [sessionId, this.#host.readTraffic(sessionId, share)]),
    );
    return browsers.map(({ uses: _, ...browser }) => {
      const traffic = reports.get(browser.sessionId);
      if (!traffic) return browser;
      const { bytesUp, bytesDown } = traffic;
      return { ...browser, bytesUp, bytesDown, traffic };
    });
  }

  /** Call it when a gateway has accepted what `running` returned last. */
  accepted(): void {
    this.#accepted = this.#sent;
  }
}

const stateOf = ({ bytesUp, bytesDown, uses }: RunningBrowser) => `${bytesUp} ${bytesDown} ${uses}`;

const destinationsEach = (sessions: number): number =>
  Math.min(maxDestinations, Math.floor(maxInBeat / Math.max(1, sessions)));

/** Keeps endings within a heartbeat's bounds. Whoever asked for a close has its report in full. */
export function boundedTraffic(endings: readonly EndedBrowser[]): EndedBrowser[] {
  const share = destinationsEach(endings.length);
  return endings.map((ending) => {
    const { traffic } = ending;
    return traffic ? { ...ending, traffic: { ...traffic, ...withLargest(traffic, share) } } : ending;
  });
}
