import { type Action, newAction } from './action.ts';
import { keyOf, mouseOf, touchOf } from './input-steps.ts';
import { PlaywrightSteps } from './playwright-steps.ts';
import type { ActStep, FindStep } from './step.ts';

/** A click may tremble. Beyond this it is a drag. */
const trembling = 4;

interface Who {
  client: number;
  tab: number | undefined;
}

interface PlaceOptions {
  /** Called when an action is over. */
  onOver(action: Action): void;
  /** Finds out what element a mouse acts on. */
  name(action: Action, x: number, y: number): void;
}

/** Actions in one CDP session of a client, one after the other. */
export class Place {
  readonly playwright = new PlaywrightSteps();
  readonly #options: PlaceOptions;
  readonly #unfinished = new Set<Action>();
  /** The last one, to which more may belong. */
  #open: Action | undefined;
  /** What was looked for, and may be what the next one is for. */
  #found: Action | undefined;
  #lastAt = 0;

  constructor(options: PlaceOptions) {
    this.#options = options;
  }

  find({ name, selector }: FindStep, who: Who, at: number): Action {
    this.#lastAt = at;
    const before = this.#found;
    if (before?.name === name && before.target === selector) {
      before.times += 1;
      before.error = undefined;
      return before;
    }
    this.#closeFound();
    this.#closeOpen(at);
    this.#found = this.#add({ ...who, name, target: selector, from: at });
    return this.#found;
  }

  act(step: ActStep, who: Who, at: number): Action {
    this.#lastAt = at;
    const { name, detail, selector, onFound = false, beginning = [], loads = false } = step;
    const before = this.#open;
    if (before && this.#found === undefined && before.beginning.includes(name))
      return this.#become(before, name, detail);
    this.#closeOpen(at);
    const found = onFound ? this.#takeFound() : undefined;
    if (!onFound) this.#closeFound();
    this.#open = this.#add({
      ...{ ...who, name, detail, beginning, isLoading: loads },
      target: found?.target ?? selector,
      from: found?.from ?? at,
    });
    return this.#open;
  }

  mouse(params: Readonly<Record<string, unknown>>, who: Who, at: number): Action | undefined {
    this.#lastAt = at;
    const mouse = mouseOf(params);
    if (!mouse) return undefined;
    const { kind, x, y } = mouse;
    const open = this.#found ? undefined : this.#open;
    if (kind === 'wheel') return this.#repeated('scroll', who, at);
    if (kind === 'press') {
      if (mouse.isAgain && open?.pressedAt) return this.#become(open, mouse.name, undefined);
      const action = this.act({ kind: 'act', name: mouse.name, onFound: true }, who, at);
      action.pressedAt = { x, y };
      if (action.naming === 'none') this.#options.name(action, x, y);
      return action;
    }
    if (kind === 'release') {
      if (!open?.pressedAt) return undefined;
      const { pressedAt } = open;
      if (Math.hypot(x - pressedAt.x, y - pressedAt.y) > trembling) open.name = 'drag';
      return open;
    }
    const buttons = Number(params['buttons']) || 0;
    if (buttons !== 0 && open?.pressedAt) return open;
    if (open && (open.name === 'move' || open.name === 'hover')) return open;
    const isAimed = this.#found !== undefined;
    const clicks = ['click', 'right-click', 'middle-click', 'double-click'];
    const name = isAimed ? 'hover' : 'move';
    const action = this.act({ kind: 'act', name, onFound: true, beginning: clicks }, who, at);
    if (isAimed) this.#options.name(action, x, y);
    return action;
  }

  touch(params: Readonly<Record<string, unknown>>, who: Who, at: number): Action | undefined {
    this.#lastAt = at;
    const name = touchOf(params);
    const open = this.#open;
    if (name === 'tap') return this.act({ kind: 'act', name, onFound: true, beginning: ['swipe'] }, who, at);
    if (name === 'swipe' && open?.name === 'tap') return this.#become(open, name, undefined);
    return open && (open.name === 'tap' || open.name === 'swipe') ? open : undefined;
  }

  key(params: Readonly<Record<string, unknown>>, who: Who, at: number): Action | undefined {
    this.#lastAt = at;
    const key = keyOf(params);
    const open = this.#found ? undefined : this.#open;
    if (key.kind === 'rest')
      return open && (open.name === 'type' || open.name === 'press') ? open : undefined;
    // An empty text is filled in by a key that deletes.
    if (open?.name === 'fill' && key.kind === 'press' && key.detail === 'Delete') return open;
    if (key.kind === 'type') return this.text('type', who, at);
    if (open?.name === 'press' && open.detail === key.detail) {
      open.times += 1;
      return open;
    }
    return this.act({ kind: 'act', name: 'press', detail: key.detail, onFound: true }, who, at);
  }

  /** What is typed in a row is one action. */
  text(name: 'type' | 'insert text', who: Who, at: number): Action {
    this.#lastAt = at;
    const open = this.#found ? undefined : this.#open;
    if (open && [name, 'fill', 'type'].includes(open.name)) return open;
    return this.act({ kind: 'act', name, onFound: true }, who, at);
  }

  /** A page has loaded: what was going on until then is over. */
  loaded(at: number, tab: number | undefined): void {
    for (const action of this.#unfinished) {
      if (action.isLoading && action.tab === tab) this.#finishLoading(action, at);
    }
  }

  /** Closes what nothing has followed for a while. */
  settle(now: number, quietMs: number): void {
    if (now - this.#lastAt < quietMs) return;
    if (this.#open && !this.#open.isLoading) this.#closeOpen(now);
    this.#closeFound();
  }

  /** The client goes no further here. */
  end(at: number): void {
    this.#closeOpen(at);
    this.#closeFound();
    for (const action of this.#unfinished) {
      if (action.pending > 0) action.end = Math.max(action.end, at);
      this.#over(action);
    }
  }

  /** Something of an action has been answered. */
  answered(action: Action): void {
    if (action.isClosed && isDone(action) && !action.isLoading) this.#over(action);
  }

  #add(action: Parameters<typeof newAction>[0]): Action {
    const added = newAction(action);
    this.#unfinished.add(added);
    const [oldest] = this.#unfinished;
    if (oldest && this.#unfinished.size > maxUnfinished) this.#over(oldest);
    return added;
  }

  #repeated(name: string, who: Who, at: number): Action {
    if (this.#open?.name === name) return this.#open;
    return this.act({ kind: 'act', name }, who, at);
  }

  #become(action: Action, name: string, detail: string | undefined): Action {
    Object.assign(action, { name, detail, beginning: [] });
    return action;
  }

  #takeFound(): Action | undefined {
    const found = this.#found;
    this.#found = undefined;
    if (found) {
      found.isTold = true;
      this.#unfinished.delete(found);
    }
    return found;
  }

  #closeFound(): void {
    const found = this.#found;
    this.#found = undefined;
    if (!found) return;
    found.isClosed = true;
    this.answered(found);
  }

  #closeOpen(at: number): void {
    const open = this.#open;
    this.#open = undefined;
    if (!open) return;
    open.isClosed = true;
    // The client did not wait for the page.
    if (open.isLoading) this.#finishLoading(open, at);
    else this.answered(open);
  }

  #finishLoading(action: Action, at: number): void {
    action.isLoading = false;
    action.end = Math.max(action.end, at);
    if (isDone(action)) {
      action.isClosed = true;
      this.#over(action);
    }
  }

  #over(action: Action): void {
    this.#unfinished.delete(action);
    if (this.#open === action) this.#open = undefined;
    if (this.#found === action) this.#found = undefined;
    if (action.isTold) return;
    action.isTold = true;
    this.#options.onOver(action);
  }
}

const maxUnfinished = 100;

const isDone = ({ pending, naming }: Action): boolean => pending <= 0 && naming !== 'asked';
