import type { ClientSession } from './client-sessions.ts';
import type { Targets } from './targets.ts';

/** A client that stays attached to a service worker which a page announced has it started after this time. */
const detachTimeoutMs = 500;

const workerTypes = new Set(['worker', 'shared_worker', 'service_worker']);

interface RunCommand {
  /** Sends the client's command on. */
  pass(): void;
  /** Answers it in place of the browser. Returns false if its id cannot be read. */
  answer?: ((result: object) => boolean) | undefined;
}

/** A client sends its command to run to a target that it keeps stopped. */
export function runForClient(targets: Targets, session: ClientSession, { pass, answer }: RunCommand): void {
  if (startsWithRun(session) && answer?.({})) runUnlessDetached(targets, session);
  else runWhenApplied(targets, session, pass);
}

/**
 * Delays a client's command to run until the worker has its overrides, but none of the client's later commands: the
 * worker may need them to start at all, such as an answer to the request for its script.
 */
function runWhenApplied(targets: Targets, session: ClientSession, pass: () => void): void {
  const run = () => {
    if (targets.clients.get(session.cdpSessionId) !== session) return; // It detached, which resumed the target.
    targets.clientResumes(session, pass);
  };
  const mustWait = workerTypes.has(session.type) && !startsWithRun(session);
  const applied = mustWait ? targets.whenApplied(session.targetId) : undefined;
  if (applied) void applied.then(run);
  else run();
}

/**
 * The worker starts with the client's command to run, so the command cannot wait for the overrides; and Chromium, which
 * keeps it until there is a renderer, keeps no order between two CDP sessions there. Playwright and Puppeteer detach
 * as soon as the command is answered. That starts the worker as well, and then only the host resumes it.
 */
function runUnlessDetached(targets: Targets, session: ClientSession): void {
  targets.clients.keepStopped(session, false);
  const pass = () => targets.runFor(session);
  setTimeout(() => runWhenApplied(targets, session, pass), detachTimeoutMs).unref();
}

/**
 * A service worker that was announced by a page: its script is requested only when all who were told so have resumed
 * it.
 */
const startsWithRun = ({ type, via }: ClientSession): boolean =>
  type === 'service_worker' && via !== undefined && via !== 'browser';
