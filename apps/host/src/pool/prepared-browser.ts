import { HostError } from '@turnpike/contract/host';
import { within } from '@turnpike/process/within';
import { Browser, type BrowserOptions } from '../chromium/browser.ts';
import { type BrowserStart, type Shape, shapeOf } from '../chromium/browser-start.ts';
import { BrowserWork } from '../chromium/browser-work.ts';
import { SessionFiles } from '../files/session-files.ts';
import { Forwarder } from '../forwarder/forwarder.ts';
import { filesDirectory, insideHome } from '../sandbox/inside-paths.ts';
import { openBelow } from '../sandbox/open-directory.ts';
import type { UserIds } from './user-ids.ts';

/** What only one session's browser starts with. */
export interface OwnParts {
  /** The saved profile of the session that this browser is started for. */
  archive?: Buffer | undefined;
  /** Authorities that it trusts besides the usual ones, in PEM. */
  trustedCa?: string | undefined;
}

export interface PrepareOptions
  extends OwnParts,
    Pick<BrowserOptions, 'sandboxes' | 'fonts' | 'switchboard' | 'chromium' | 'sessionBufferBytes'> {
  userIds: UserIds;
  startTimeoutMs: number;
}

const filesBelowHome = filesDirectory.slice(insideHome.length);

export interface PreparedParts {
  start: BrowserStart;
  browser: Browser;
  forwarder: Forwarder;
  files: SessionFiles;
  /** Its user id; undefined means the host's own. */
  uid: number | undefined;
}

/**
 * A running browser with its forwarder, which refuses everything until it has a proxy, its files and its user id: all
 * that a session needs and that is the same for every session.
 */
export class PreparedBrowser implements AsyncDisposable {
  readonly start: BrowserStart;
  readonly browser: Browser;
  readonly forwarder: Forwarder;
  readonly files: SessionFiles;
  readonly uid: number | undefined;
  /** Resolves when it has been killed, or could not be. */
  readonly ended: Promise<void>;
  readonly #end = Promise.withResolvers<void>();
  readonly #onKilled: () => void;
  #killed: Promise<void> | undefined;

  constructor({ start, browser, forwarder, files, uid }: PreparedParts, onKilled: () => void) {
    this.start = start;
    this.browser = browser;
    this.forwarder = forwarder;
    this.files = files;
    this.uid = uid;
    this.ended = this.#end.promise;
    this.#onKilled = onKilled;
  }

  get shape(): Shape {
    return shapeOf(this.start);
  }

  /** Whether `kill` was called. */
  get isEnding(): boolean {
    return this.#killed !== undefined;
  }

  /** Resolves when its processes are gone, its files closed and the browser's last messages delivered. */
  kill(): Promise<void> {
    this.#killed ??= Promise.all([this.browser.kill(), this.files.close()])
      .then(this.#onKilled)
      .finally(() => this.#end.resolve());
    return this.#killed;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    try {
      await this.kill();
    } finally {
      this.forwarder.close();
    }
  }
}

export async function prepareBrowser(
  start: BrowserStart,
  { userIds, startTimeoutMs, ...shared }: PrepareOptions,
  signal: AbortSignal,
): Promise<PreparedBrowser> {
  using undo = new DisposableStack();
  const uid = userIds.take();
  const work = new BrowserWork();
  const forwarder = undo.adopt(new Forwarder(undefined, work), (created) => created.close());
  const onListener: BrowserOptions['onListener'] = (listener) => forwarder.adopt(listener);
  const options = { ...shared, uid, start, work, onListener };
  try {
    const browser = await startBrowser(options, startTimeoutMs, signal);
    undo.move();
    const open = async () => {
      await using home = await browser.openHome();
      return await openBelow(home, filesBelowHome);
    };
    const files = new SessionFiles({ open, uid });
    return new PreparedBrowser({ start, browser, forwarder, files, uid }, () => userIds.release(uid));
  } catch (error) {
    // A browser that could not be killed keeps its user id.
    if (!wasNotKilled(error)) userIds.release(uid);
    throw error;
  }
}

/** Whether the cleanup after a failed start failed too. */
function wasNotKilled(error: unknown): boolean {
  return error instanceof SuppressedError || (error as Error).cause instanceof SuppressedError;
}

async function startBrowser(
  options: BrowserOptions,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<Browser> {
  using bounds = within(timeoutMs, signal);
  try {
    return await Browser.start(options, bounds.signal);
  } catch (cause) {
    if (signal.aborted) throw cause;
    const reason = bounds.isLate ? `it was not up after ${timeoutMs} ms` : (cause as Error).message;
    throw new HostError('START_FAILED', `The browser did not start: ${reason}`, { cause });
  }
}
