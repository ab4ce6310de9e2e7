import { act, find, focusing, own, type Step } from './step.ts';

/** How Playwright's server calls what it runs in a page: always by this function. */
const callStart = '(utilityScript';
/** How its scripts begin that it puts into a page before it does anything there. */
const moduleStart = /^\s*\(\(\) => \{\s*const module = \{\};/;
const ownFunction =
  /^(?:async )?\(?\[?\(?\{? ?injected\d*\b|^\(r\) => (?:\(\{ log|r\.element)|^\(h\) => h\.(?:stop|result)/;
const ownTexts =
  /^\(function inPage|^document\.fonts\.ready$|^window\.__pw|^\(\) => \(\{ width: innerWidth|^\(\) => \{\s*const result = \(\(\) => \(\{ width: window/;

/** What it does to an element by one of its own functions, by the name of that. */
const elementActs: readonly [string, Step][] = [
  ['injected.fill(', act('fill', { onFound: true })],
  ['injected.selectOptions(', act('select', { onFound: true })],
  ['injected.selectText(', act('select text', { onFound: true })],
  ['injected.focusNode(', act('focus', { onFound: true, beginning: focusing })],
  ['injected.blurNode(', act('blur', { onFound: true })],
  ['injected.dispatchEvent(', act('dispatch event', { onFound: true })],
  ['injected.setInputFiles(', act('set files', { onFound: true })],
];

/** What it reads of a page by a function of its own. */
const pageReads: readonly [string, Step][] = [
  ['document.write(', act('set content')],
  ['document.title', act('title')],
  ['document.doctype', act('content')],
];

interface Call {
  functionDeclaration: string;
  objectId?: unknown;
  arguments?: unknown;
}

/** Knows what Playwright runs in pages. One for each CDP session: contexts are numbered by it. */
export class PlaywrightSteps {
  /** Contexts that pages cannot see. Only Playwright itself runs something there. */
  readonly #utility = new Set<string>();

  /** Returns undefined if it is none of Playwright's. `text`: the message as far as it is known. */
  evaluate(expression: string | undefined, text: string): Step | undefined {
    if (expression !== undefined) return moduleStart.test(expression) ? own : undefined;
    if (!text.slice(0, 400).includes('const module = {}')) return undefined;
    const context = /"contextId":(\d+)/.exec(text)?.[1];
    if (context !== undefined && /ilityWorld\\*":true/.test(text)) this.#addUtility(context);
    return own;
  }

  call({ functionDeclaration, objectId, arguments: given }: Call): Step | undefined {
    if (!functionDeclaration.startsWith(callStart) || !Array.isArray(given)) return undefined;
    const context = String(objectId).split('.')[1] ?? '';
    const code = String(givenValue(given[3]) ?? '');
    if (ownTexts.test(code)) return own;
    const isUtility = this.#utility.has(context);
    if (ownFunction.test(code)) return this.#ofItsOwn(code, given, isUtility);
    if (isUtility) return pageReads.find(([part]) => code.includes(part))?.[1] ?? own;
    const isOnElement = given.slice(5).some((one) => typeof one?.objectId === 'string');
    return act('evaluate', { onFound: isOnElement });
  }

  #ofItsOwn(code: string, given: readonly unknown[], isUtility: boolean): Step {
    const known = elementActs.find(([part]) => code.includes(part))?.[1];
    if (known) return known;
    if (code.includes('polling')) return isUtility ? own : act('wait for function');
    const params = given.map(givenValue).find((value) => member(value, 'parts') !== undefined);
    if (params === undefined) return own;
    const parts = member(params, 'parts');
    const selector = selectorOf(parts);
    const callback = member(params, 'callbackText');
    if (typeof callback === 'string') return act(readName(callback), { selector });
    const inner = member(params, 'functionText');
    return find(selector, typeof inner === 'string' && inner.includes('attached:') ? 'wait for' : 'find');
  }

  #addUtility(context: string): void {
    this.#utility.add(context);
    const [oldest] = this.#utility;
    if (oldest !== undefined && this.#utility.size > maxContexts) this.#utility.delete(oldest);
  }
}

const maxContexts = 200;
const maxLooked = 500;

const givenValue = (argument: unknown): unknown => (argument as { value?: unknown } | null)?.value;

function readName(callback: string): string {
  if (/textContent|innerText/.test(callback)) return 'read text';
  if (callback.includes('getAttribute')) return 'read attribute';
  return /innerHTML/.test(callback) ? 'read HTML' : 'read';
}

/** Looks for a member in what Playwright's serializer made of an object: `{ o: [{ k, v }] }`, `{ a: [] }`. */
function member(value: unknown, name: string): unknown {
  const queue: unknown[] = [value];
  for (let at = 0; at < queue.length && at < maxLooked; at++) {
    const { o, a } = (queue[at] ?? {}) as { o?: unknown; a?: unknown };
    for (const one of Array.isArray(o) ? o : []) {
      if (one?.k === name) return one.v;
      queue.push(one?.v);
    }
    if (Array.isArray(a)) queue.push(...a.slice(0, maxLooked));
  }
  return undefined;
}

function selectorOf(parts: unknown): string {
  const { a } = (parts ?? {}) as { a?: unknown };
  const texts = (Array.isArray(a) ? a : []).slice(0, 20).map((part) => {
    const { o } = (part ?? {}) as { o?: { k?: unknown; v?: unknown }[] };
    const text = (name: string) => String(o?.find(({ k }) => k === name)?.v ?? '');
    return partOf(text('name'), text('source'));
  });
  return texts.join(' ');
}

/** As the person wrote it: `getByRole('button', { name: 'Buy' })` is `button "Buy"`. */
function partOf(engine: string, source: string): string {
  const plain = source.replaceAll(/"[is](?=$|\])/g, '"');
  if (engine === 'css') return plain;
  if (engine === 'internal:role') return plain.replace(/\[name=("[^"]*")\]/, ' $1');
  if (engine === 'internal:attr' || engine === 'internal:testid') return plain;
  return engine.startsWith('internal:') ? `${engine.slice(9)} ${plain}` : `${engine}=${plain}`;
}
