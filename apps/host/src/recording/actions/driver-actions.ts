import { type Action, newAction } from './action.ts';
import { keyNames } from './driver-keys.ts';

interface DriverRecording {
  /** Called when an action is over. */
  onOver(action: Action): void;
  onBegun(action: Action): void;
}

/** Names of elements that are remembered. */
const maxElements = 500;
const quietMs = 10_000;
const elementKey = 'element-6066-11e4-a52e-4f735466cecf';

/** What WebDriver's commands are called, by method and path below the session. `*`: an id. */
const names = new Map([
  ['POST url', 'goto'],
  ['GET url', 'get address'],
  ['POST back', 'go back'],
  ['POST forward', 'go forward'],
  ['POST refresh', 'reload'],
  ['GET title', 'title'],
  ['GET source', 'content'],
  ['POST element', 'find'],
  ['POST elements', 'find'],
  ['POST element/*/element', 'find'],
  ['POST element/*/elements', 'find'],
  ['GET element/active', 'find'],
  ['POST element/*/click', 'click'],
  ['POST element/*/clear', 'clear'],
  ['POST element/*/value', 'type'],
  ['GET element/*/text', 'read text'],
  ['GET element/*/attribute/*', 'read attribute'],
  ['GET element/*/property/*', 'read property'],
  ['GET element/*/css/*', 'read style'],
  ['GET element/*/name', 'read tag'],
  ['GET element/*/rect', 'read size'],
  ['GET element/*/enabled', 'is enabled'],
  ['GET element/*/selected', 'is selected'],
  ['GET element/*/displayed', 'is visible'],
  ['GET element/*/screenshot', 'screenshot'],
  ['GET screenshot', 'screenshot'],
  ['POST print', 'pdf'],
  ['POST execute/sync', 'evaluate'],
  ['POST execute/async', 'evaluate'],
  ['POST actions', 'input'],
  ['POST frame', 'switch frame'],
  ['POST frame/parent', 'switch frame'],
  ['POST window', 'switch page'],
  ['POST window/new', 'new page'],
  ['DELETE window', 'close page'],
  ['POST window/rect', 'set window size'],
  ['POST window/maximize', 'set window size'],
  ['POST alert/accept', 'accept dialog'],
  ['POST alert/dismiss', 'dismiss dialog'],
  ['POST alert/text', 'type'],
  ['GET alert/text', 'read dialog'],
  ['POST cookie', 'set cookies'],
  ['GET cookie', 'get cookies'],
  ['DELETE cookie', 'clear cookies'],
]);
/** These are asked again and again until something is so. */
const polled: ReadonlySet<string> = new Set(['find', 'title', 'get address', 'read text', 'is visible']);

/** A request of a WebDriver client, in whose words its actions are told. */
export interface DriverRequest {
  method: string;
  /** With its query. */
  path: string;
  /** As far as it was kept. */
  body: string;
}

/** What the clients of one session do over WebDriver: each request is one action. */
export class DriverActions {
  readonly #parts: DriverRecording;
  readonly #selectors = new Map<string, string>();
  /** The last one, which may be repeated, or be a search for what comes next. */
  #last: Action | undefined;

  constructor(parts: DriverRecording) {
    this.#parts = parts;
  }

  /** Returns undefined if nobody would call it an action. */
  asked({ method, path, body }: DriverRequest, at: number): Action | undefined {
    const [, below] = /\/session\/[^/?]+\/([^?]*)/.exec(path) ?? [];
    if (below === undefined) return undefined;
    const element = /(?:^|\/)element\/([^/]+)\//.exec(`${below}/`)?.[1];
    const name = names.get(
      `${method} ${below.replaceAll(/(element|attribute|property|css)\/(?!active$)[^/]+/g, '$1/*')}`,
    );
    if (name === undefined) return undefined;
    const given = parsed(body);
    const target = name === 'find' ? selectorOf(given) : this.#selectors.get(element ?? '');
    const before = this.#last;
    if (before && before.name === name && before.target === target && polled.has(name)) {
      before.times += 1;
      before.error = undefined;
      return this.#goOn(before);
    }
    const isFound = before?.name === 'find' && before.error === undefined && before.target === target;
    if (before && !(isFound && element !== undefined)) this.#over(before);
    const action = newAction({ client: 0, tab: undefined, name, target, from: isFound ? before.from : at });
    Object.assign(action, detailOf(name, given));
    this.#last = action;
    return this.#goOn(action);
  }

  answered(action: Action, status: number, body: string, at: number): void {
    action.pending -= 1;
    action.end = Math.max(action.end, at);
    const { value } = parsed(body) as { value?: unknown };
    const { error, message, ...found } = (value ?? {}) as Record<string, unknown>;
    if (status >= 400) action.error = String(message || error || status).split('\n', 1)[0];
    else if (action.name === 'find') this.#learn(action.target, Array.isArray(value) ? value : [found]);
    if (action !== this.#last) this.#over(action);
  }

  /** Tells the last one if nothing has followed it for a while. */
  settle(now: number): void {
    const last = this.#last;
    if (!last || last.pending > 0 || now - last.end < quietMs) return;
    this.#last = undefined;
    this.#over(last);
  }

  close(): void {
    const last = this.#last;
    this.#last = undefined;
    if (last) last.pending = 0;
    if (last) this.#over(last);
  }

  #goOn(action: Action): Action {
    action.pending += 1;
    this.#parts.onBegun(action);
    return action;
  }

  #over(action: Action): void {
    if (action.isTold || action.pending > 0) return;
    action.isTold = true;
    this.#parts.onOver(action);
  }

  #learn(selector: string | undefined, found: readonly unknown[]): void {
    for (const one of found.slice(0, maxElements)) {
      const id = (one as Record<string, unknown> | null)?.[elementKey];
      if (typeof id === 'string' && selector !== undefined) this.#selectors.set(id, selector);
    }
    for (const id of this.#selectors.keys()) {
      if (this.#selectors.size <= maxElements) break;
      this.#selectors.delete(id);
    }
  }
}

function selectorOf({ using, value }: Record<string, unknown>): string {
  if (typeof value !== 'string') return 'the active element';
  return using === 'css selector' ? value : `${String(using)}=${value}`;
}

function detailOf(name: string, given: Record<string, unknown>): Pick<Action, 'detail'> & { name?: string } {
  if (name === 'goto') return { detail: String(given['url'] ?? '') };
  const keys = name === 'type' ? keyNames(given['text']) : undefined;
  return keys === undefined ? { detail: undefined } : { name: 'press', detail: keys };
}

function parsed(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
