import type { EventLog } from '../event-log.ts';
import { inTab } from '../event-log.ts';
import type { Mask } from '../masks/mask.ts';
import { type Action, recorded } from './action.ts';
import { Place } from './place.ts';
import { plainStep } from './plain-steps.ts';
import { puppeteerStep } from './puppeteer-steps.ts';
import { act, own, type Step } from './step.ts';

/** A command of a client, as it was sent. */
export interface ClientCommand {
  /** The connection or CDP session that it was sent to. */
  place: string;
  client: number;
  tab: number | undefined;
  method: string;
  /** Undefined of a large message. */
  params: unknown;
  /** The message or, of a large one, its first and last bytes. */
  text: string;
  at: number;
}

export interface NameElement {
  /** Resolves to the element at a point of a tab, if that is known in time. */
  at(tab: number, x: number, y: number): Promise<Action['element']>;
}

interface ActionsRecording {
  startedAt: number;
  log: Pick<EventLog, 'add'>;
  mask: Mask;
  names: NameElement;
  /** Calls `work`, and keeps an error of it from ending the session. */
  guard(work: () => void): void;
  /** Called when part of an action is done: what the tab looks like now is worth a picture. */
  onDone(tab: number | undefined): void;
}

/** CDP sessions in which something is going on. */
const maxPlaces = 1000;
/** After this time without a command nothing more belongs to an action: a client that waits longer is seldom. */
const quietMs = 10_000;
/** What chromedriver puts into every page. Its clients speak WebDriver: what they did is not told by its commands. */
const driverMark = 'cdc_adoQpoasnfa76pfcZLmcfl';

type Params = Readonly<Record<string, unknown>>;

/** Tells what clients did, from the commands that Playwright, Puppeteer and others send for it. */
export class ActionRecorder {
  readonly #parts: ActionsRecording;
  readonly #places = new Map<string, Place>();
  readonly #drivers = new Set<number>();
  /** What a client of a driver is doing. */
  #driverAction: Action | undefined;

  constructor(parts: ActionsRecording) {
    this.#parts = parts;
  }

  get size(): number {
    return this.#places.size;
  }

  /** Returns the action that a command belongs to. `answered` is to be called with it. */
  asked(command: ClientCommand): Action | undefined {
    const { client, method, tab, at } = command;
    const params = (command.params ?? {}) as Params;
    if (this.#drivers.has(client)) return this.#askedByDriver(method, params, tab);
    if (method === 'Page.addScriptToEvaluateOnNewDocument' && String(params['source']).includes(driverMark)) {
      this.#drivers.add(client);
      return undefined;
    }
    const place = this.#place(command.place);
    const who = { client, tab };
    const action = this.#actionOf(place, command, params, who);
    if (!action) return undefined;
    action.pending += 1;
    action.end = Math.max(action.end, at);
    return action;
  }

  answered(action: Action, place: string, at: number, { error, result }: Answer): void {
    action.pending -= 1;
    if (action.isTold) return;
    action.end = Math.max(action.end, at);
    const failure = failureOf(error, result, action);
    if (failure !== undefined) action.error = failure;
    const staysOnPage = action.name === 'goto' && !isLoad(result);
    if (action.error !== undefined || staysOnPage) action.isLoading = false;
    if (action.pending === 0) this.#parts.onDone(action.tab);
    this.#places.get(place)?.answered(action);
  }

  loaded(tab: number | undefined, at: number): void {
    this.#parts.onDone(tab);
    for (const place of this.#places.values()) place.loaded(at, tab);
  }

  tick(now: number): void {
    for (const place of this.#places.values()) place.settle(now, quietMs);
  }

  /** The connection or CDP session is gone. */
  forget(name: string, at: number): void {
    this.#places.get(name)?.end(at);
    this.#places.delete(name);
  }

  close(at: number): void {
    for (const name of [...this.#places.keys()]) this.forget(name, at);
  }

  /** A client of a driver does something. What the driver sends for it tells which element it is about. */
  driverBegins(action: Action): void {
    this.#driverAction = action;
  }

  tell(action: Action): void {
    const { log, mask, startedAt } = this.#parts;
    log.add({ kind: 'action', ...inTab(action.tab), ...recorded(action, startedAt, mask) });
  }

  #askedByDriver(method: string, params: Params, tab: number | undefined): undefined {
    const action = this.#driverAction;
    if (!action || action.isTold) return;
    if (tab !== undefined) action.tab = tab;
    if (method !== 'Input.dispatchMouseEvent' || params['type'] !== 'mousePressed') return;
    this.#name(action, Number(params['x']) || 0, Number(params['y']) || 0);
  }

  #place(name: string): Place {
    const known = this.#places.get(name);
    if (known) return known;
    const place: Place = new Place({
      onOver: (action) => this.tell(action),
      name: (action, x, y) => this.#name(action, x, y, place),
    });
    this.#places.set(name, place);
    const [oldest] = this.#places.keys();
    if (oldest !== undefined && this.#places.size > maxPlaces) this.forget(oldest, 0);
    return place;
  }

  #actionOf(
    place: Place,
    { method, text, at, ...command }: ClientCommand,
    params: Params,
    who: { client: number; tab: number | undefined },
  ): Action | undefined {
    if (method === 'Input.dispatchMouseEvent') return place.mouse(params, who, at);
    if (method === 'Input.dispatchKeyEvent') return place.key(params, who, at);
    if (method === 'Input.dispatchTouchEvent') return place.touch(params, who, at);
    if (method === 'Input.insertText') return place.text('insert text', who, at);
    const step = stepOf(place, method, params, command.params === undefined ? text : '');
    if (step.kind === 'own') return undefined;
    return step.kind === 'find' ? place.find(step, who, at) : place.act(step, who, at);
  }

  #name(action: Action, x: number, y: number, place?: Place): void {
    const { tab } = action;
    if (tab === undefined) return;
    action.naming = 'asked';
    void this.#parts.names.at(tab, x, y).then((element) => {
      action.naming = 'done';
      action.element = element;
      this.#parts.guard(() => place?.answered(action));
    });
  }
}

interface Answer {
  error?: { message?: unknown } | undefined;
  result?: unknown;
}

function stepOf(place: Place, method: string, params: Params, largeText: string): Step {
  const { expression, functionDeclaration } = params;
  if (method === 'Runtime.evaluate') {
    const code = typeof expression === 'string' ? expression : undefined;
    const playwrights = place.playwright.evaluate(code, largeText);
    const call = { functionDeclaration: code ?? '' };
    return playwrights ?? puppeteerStep(call) ?? act('evaluate');
  }
  if (method === 'Runtime.callFunctionOn') {
    // A large one of a client's own cannot be told from what is its user's.
    if (typeof functionDeclaration !== 'string') return own;
    const call = { ...params, functionDeclaration };
    return place.playwright.call(call) ?? puppeteerStep(call) ?? act('evaluate');
  }
  return plainStep(method, params);
}

/** Whether an answer to a navigation says that a new page comes. */
const isLoad = (result: unknown): boolean =>
  typeof (result as { loaderId?: unknown } | undefined)?.loaderId === 'string';

function failureOf(error: Answer['error'], result: unknown, { name }: Action): string | undefined {
  if (error) return String(error.message);
  const { errorText, exceptionDetails } = (result ?? {}) as {
    errorText?: unknown;
    exceptionDetails?: { text?: unknown; exception?: { description?: unknown } };
  };
  if (typeof errorText === 'string' && errorText !== '') return errorText;
  if (exceptionDetails && name !== 'wait for')
    return String(exceptionDetails.exception?.description ?? exceptionDetails.text).split('\n', 1)[0];
  return undefined;
}
