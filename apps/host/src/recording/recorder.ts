import type { OpenRequest, UpstreamProxy } from '@turnpike/contract/host';
import type { RecordingSink } from '@turnpike/contract/recording';
import type { Logger } from 'pino';
import type { Controller } from '../chromium/controller.ts';
import type { TappedMessage } from '../filters/message-tap.ts';
import { hrtimeMs } from '../native/hrtime.ts';
import type { Target } from '../targets/target.ts';
import type { Targets } from '../targets/targets.ts';
import type { Action } from './actions/action.ts';
import { ActionRecorder } from './actions/action-recorder.ts';
import { DriverActions, type DriverRequest } from './actions/driver-actions.ts';
import { ElementNames } from './actions/element-names.ts';
import type { BrowserEvents } from './browser-events.ts';
import { ChunkSender } from './chunk-sender.ts';
import { closingChunk } from './closing-chunk.ts';
import type { EndingRecordings } from './ending-recordings.ts';
import { EventLog, inTab } from './event-log.ts';
import { Mask } from './masks/mask.ts';
import { scrubLines } from './masks/scrub-lines.ts';
import { SecretSet } from './masks/secret-set.ts';
import { CommandRecorder } from './record-commands.ts';
import { ConsoleRecorder, consoleCommands } from './record-console.ts';
import { NetworkRecorder, networkCommands } from './record-network.ts';
import { recordPages } from './record-pages.ts';
import { PictureRecorder } from './record-pictures.ts';

interface RecorderOptions {
  request: OpenRequest;
  controller: Controller;
  targets: Targets;
  sink: RecordingSink;
  /** Where its end waits to be stored. */
  endings: EndingRecordings;
  logger: Logger;
}

/** What a person does in the live view. */
type PersonAction = 'pointer' | 'keys';

const chunkEveryMs = 2000;
const blank = 'about:blank';
/** How many events that could not be recorded are logged: what they are comes from pages and clients. */
const maxLoggedErrors = 3;
const defaultPictures = 1;
/** An action of a person is recorded once in this time. */
const personEveryMs = 1000;

/**
 * Records what happens in a session: what pages do, heard in the host's own CDP sessions, and what clients ask, heard
 * on the switchboard. What is recorded is masked first, and handed over every two seconds.
 */
export class Recorder {
  readonly #log: EventLog;
  readonly #sender: ChunkSender;
  readonly #secrets: SecretSet;
  readonly #mask: Mask;
  readonly #targets: Targets;
  readonly #commands: CommandRecorder;
  readonly #actions: ActionRecorder;
  readonly #driver: DriverActions;
  readonly #names: ElementNames;
  readonly #network: NetworkRecorder;
  readonly #refreshTitles: () => void;
  readonly #console: ConsoleRecorder | undefined;
  readonly #pictures: PictureRecorder | undefined;
  readonly #bodies: boolean;
  readonly #endings: EndingRecordings;
  readonly #logger: Logger;
  readonly #lastActions = new Map<PersonAction, number>();
  #timer: NodeJS.Timeout | undefined;
  #isStopped = false;
  #loggedErrors = 0;

  constructor({ request, controller, targets, sink, endings, logger }: RecorderOptions) {
    const { sessionId, params } = request;
    const { stealth = false, recordBodies = false, recordPictures = defaultPictures, headless } = params;
    const startedAt = hrtimeMs();
    const secrets = new SecretSet(knownSecrets(request));
    this.#secrets = secrets;
    this.#targets = targets;
    this.#bodies = recordBodies;
    this.#logger = logger;
    this.#endings = endings;
    this.#mask = new Mask(secrets);
    this.#sender = new ChunkSender({
      sink,
      sessionId,
      startedAt,
      logger,
      scrub: (lines) => scrubLines(lines, secrets),
      onStopped: () => this.abandon(),
    });
    this.#log = new EventLog({
      startedAt,
      unsentBytes: () => this.#sender.unsentBytes,
      isMaskSpent: () => this.#mask.isSpent,
      onError: (tab) => this.#pictures?.want(tab),
      onSealed: (chunk) => this.#sender.push(chunk),
    });
    const events: BrowserEvents = {
      on: (event, listener) => {
        const guarded = (...args: Parameters<typeof listener>) => this.#guard(() => listener(...args));
        controller.on(event, guarded as never);
      },
    };
    const guard = (work: () => void) => this.#guard(work);
    const parts = { controller, events, guard, log: this.#log, mask: this.#mask, targets };
    const onDone = (tab: number | undefined) => this.#pictures?.want(tab);
    this.#names = new ElementNames({ controller, targets });
    this.#actions = new ActionRecorder({ ...parts, startedAt, names: this.#names, onDone });
    this.#driver = new DriverActions({
      onBegun: (action) => this.#actions.driverBegins(action),
      onOver: (action) => this.#actions.tell(action),
    });
    events.on('Page.frameNavigated', ({ frame }, cdpSessionId) => {
      if (frame.parentId === undefined && frame.url !== blank) this.#pictures?.hasPage(cdpSessionId);
    });
    events.on('Page.loadEventFired', (_event, cdpSessionId) => {
      const target = targets.ofSession(cdpSessionId);
      if (target?.type === 'page') this.#actions.loaded(target.tab, hrtimeMs());
    });
    this.#commands = new CommandRecorder({
      ...parts,
      actions: this.#actions,
      onDriven: (tab) => this.#pictures?.driven(tab),
    });
    this.#refreshTitles = recordPages(parts);
    this.#network = new NetworkRecorder({ ...parts, withBodies: recordBodies });
    this.#console = stealth ? undefined : new ConsoleRecorder(parts);
    this.#pictures =
      recordPictures > 0 ? new PictureRecorder({ ...parts, perSecond: recordPictures }) : undefined;
    targets.on('attached', (target) => this.#attached(target));
    targets.on('detached', (target) => guard(() => this.#detached(target)));
    events.on('Inspector.targetReloadedAfterCrash', (_event, cdpSessionId) => {
      if (cdpSessionId !== undefined) this.#pictures?.restarted(cdpSessionId);
    });
    const settings = { stealth, bodies: recordBodies, picturesPerSecond: recordPictures, headless };
    this.#log.add({ kind: 'start', ...settings }, startedAt);
    targets.discoverPages();
  }

  /** Begins to hand chunks over. Until then they are kept: the session may not be known yet to those who store them. */
  run(): void {
    this.#timer = setInterval(() => {
      this.#mask.refill();
      this.#settleActions();
      this.#log.tick();
      this.#refreshTitles();
    }, chunkEveryMs);
  }

  tapped(message: TappedMessage): void {
    if (!this.#isStopped) this.#guard(() => this.#commands.tapped(message));
  }

  connected(clientId: number, targetId: string | undefined): void {
    this.#commands.connected(clientId, targetId);
  }

  disconnected(clientId: number): void {
    this.#commands.disconnected(clientId);
  }

  detached(cdpSessionIds: Iterable<string>): void {
    this.#commands.detached(cdpSessionIds);
  }

  answered(clientId: number, text: string): void {
    if (!this.#isStopped) this.#guard(() => this.#commands.answered(clientId, text));
  }

  /** A client asks something of the driver. Returns undefined if it is not recorded. */
  driverAsked(request: DriverRequest): ((status: number, body: string) => void) | undefined {
    if (this.#isStopped || this.#mask.isSpent) return undefined;
    this.#mask.spend(request.body.length);
    let action: Action | undefined;
    this.#guard(() => (action = this.#driver.asked(request, hrtimeMs())));
    return (status, body) =>
      this.#guard(() => {
        if (!action) return;
        this.#driver.answered(action, status, body, hrtimeMs());
        this.#pictures?.want(action.tab);
      });
  }

  /** How much is remembered of clients' commands. */
  get held(): { pending: number; typed: number } {
    return this.#commands.held;
  }

  /** A person has used the live view. */
  personActed(action: PersonAction): void {
    this.#pictures?.drivenByPerson();
    const now = hrtimeMs();
    if (now < (this.#lastActions.get(action) ?? 0) + personEveryMs) return;
    this.#lastActions.set(action, now);
    this.#log.add({ kind: 'person', action });
  }

  /** A request came to nothing because of the proxy. */
  proxyFailed({ host, port }: { host: string; port: number }, proxy: string, { message }: Error): void {
    const cause = this.#mask.text(message, 200);
    this.#log.add({ kind: 'proxy.failed', host: this.#mask.text(host, 255), port, proxy, cause });
  }

  /** The session uses another proxy than those that it was opened with. */
  proxyAdded(proxy: UpstreamProxy): void {
    for (const secret of secretsOfProxy(proxy)) this.#secrets.learn(secret);
  }

  /** A person has paused the clients, or lets them go on. */
  clientsPaused(change: 'paused' | 'resumed', by: string): void {
    this.#log.add({ kind: change, by: this.#mask.text(by, 200) });
  }

  /** Resolves when the last chunk is stored or given up, which may be long after the session. */
  async end(reason: string): Promise<void> {
    this.#guard(() => {
      this.#actions.close(hrtimeMs());
      this.#driver.close();
    });
    this.#stop();
    this.#log.close(reason);
    const sender = this.#sender;
    await this.#endings.add({
      get unsentBytes() {
        return sender.unsentBytes;
      },
      shrink() {
        const waiting = sender.dropWaiting();
        if (waiting) sender.push(closingChunk(waiting.index, waiting.dropped, reason));
      },
      giveUp: () => sender.giveUp(),
      finished: () => sender.finished(),
    });
  }

  /** Records nothing more, and drops what is not handed over. */
  abandon(): void {
    this.#stop();
    this.#log.abandon();
  }

  /** Tells a target what it has to report, before it runs. */
  #attached(target: Target): void {
    if (this.#isStopped) return;
    if (target.type === 'page') this.#guard(() => this.#opened(target));
    const commands = [
      ...networkCommands(this.#bodies),
      ...(this.#console ? consoleCommands(target.type) : []),
    ];
    for (const command of commands) void this.#targets.send(target, command);
  }

  #opened({ cdpSessionId, tab, url, openerId }: Target): void {
    const opener = this.#targets.get(openerId)?.tab;
    const openerTab = opener === undefined ? {} : { openerTab: opener };
    this.#log.add({ kind: 'tab.opened', ...inTab(tab), url: this.#mask.url(url), ...openerTab });
    this.#pictures?.attached({ cdpSessionId, tab });
    if (url !== blank && url !== '') this.#pictures?.hasPage(cdpSessionId);
  }

  /** Keeps an event that cannot be recorded from ending the session. */
  #guard(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.#log.drop('events');
      this.#loggedErrors += 1;
      if (this.#loggedErrors <= maxLoggedErrors)
        this.#logger.warn({ err: error }, 'an event of a session was not recorded');
    }
  }

  #settleActions(): void {
    const now = hrtimeMs();
    this.#guard(() => {
      this.#actions.tick(now);
      this.#driver.settle(now);
    });
  }

  #stop(): void {
    this.#isStopped = true;
    clearInterval(this.#timer);
    this.#console?.stop();
    this.#pictures?.stop();
  }

  #detached({ cdpSessionId, type, tab }: Target): void {
    this.#network.detached(cdpSessionId);
    this.#console?.detached(cdpSessionId);
    this.#names.detached(cdpSessionId);
    if (type !== 'page') return;
    this.#pictures?.detached(cdpSessionId);
    this.#log.add({ kind: 'tab.closed', ...inTab(tab) });
  }
}

function knownSecrets({ cdpId, viewerToken, proxy, proxyRules = [] }: OpenRequest): (string | undefined)[] {
  const proxies = [proxy, ...proxyRules.map((rule) => rule.proxy)];
  return [cdpId, viewerToken, ...proxies.flatMap(secretsOfProxy)];
}

function secretsOfProxy({ username, password }: UpstreamProxy): string[] {
  const both = password === undefined ? undefined : `${username ?? ''}:${password}`;
  const all = [username, password, both, both && Buffer.from(both).toString('base64')];
  return all.filter((secret) => secret !== undefined);
}
