import { act, find, focusing, own, type Step } from './step.ts';

/** Puppeteer says in each script which of its functions, or which line of its user's, it is for. */
const mark = /\/\/# sourceURL=pptr:([\w$]+)(?:;([^\n]{0,500}))?/;
/** Its own functions, also when it is bundled with its user's program. */
const ownPlace =
  /^(?:%23|(?:Cdp|Bidi|CSS|XPath|Text|ARIA|Pierce|PQuery|Custom|Wait|Node|Function|Element|Mutation)\w*\.)|puppeteer-core/;

const ofFound = (name: string, more: Parameters<typeof act>[1] = {}): Step =>
  act(name, { onFound: true, ...more });
/** What it does by a function of its own, by the name of that. */
const ownActs = new Map<string, Step>([
  ['focus', ofFound('focus', { beginning: focusing })],
  ['select', ofFound('select')],
  ['title', act('title')],
  ['content', act('content')],
  ['setContent', act('set content')],
  ['setFrameContent', act('set content')],
]);

interface Call {
  functionDeclaration: string;
  arguments?: unknown;
}

/** Returns undefined if it is none of Puppeteer's. */
export function puppeteerStep({ functionDeclaration, arguments: given }: Call): Step | undefined {
  const [, kind, place = ''] = mark.exec(functionDeclaration.slice(-1200)) ?? [];
  if (kind === undefined) return undefined;
  if (kind === 'internal') return own;
  const texts = (Array.isArray(given) ? given : []).map((one) => one?.value).filter(isText);
  if (place.startsWith('WaitTask.rerun')) return waitStep(functionDeclaration, texts);
  if (/QuerySelector|queryOne|queryAll/i.test(place)) return texts[0] === undefined ? own : find(texts[0]);
  if (!ownPlace.test(place)) return ofFound('evaluate', { onFound: hasElement(given) });
  const named = ownActs.get(/^(?:%23)?(?:\w+\.)?(\w+)/.exec(place)?.[1] ?? '');
  return named ?? (functionDeclaration.includes("new Event('input'") ? ofFound('fill') : own);
}

const isText = (value: unknown): value is string => typeof value === 'string';

const hasElement = (given: unknown): boolean =>
  Array.isArray(given) && given.some((one) => typeof one?.objectId === 'string');

/** `waitForSelector` and locators look until they find; `waitForFunction` asks until it is so. */
function waitStep(poller: string, texts: readonly string[]): Step {
  const [code = ''] = texts;
  const selector = texts.at(-1);
  if (code.includes('PuppeteerUtil') && selector !== undefined && texts.length > 1)
    return find(selector, 'wait for');
  const isCreated = poller.includes('createFunction') && code !== '' && !/^\(?element\b/.test(code);
  return isCreated ? act('wait for function') : own;
}
