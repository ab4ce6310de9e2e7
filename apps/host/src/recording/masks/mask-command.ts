import type { Mask } from './mask.ts';
import { isTelling } from './telling-names.ts';

/** Members that are recorded as they are, by method. All other texts become their lengths. */
const keptTexts = byMethod({
  'Browser.grantPermissions': ['origin', 'permissions'],
  'Browser.setDownloadBehavior': ['behavior'],
  'Browser.setPermission': ['setting', 'origin'],
  'Browser.setWindowBounds': ['windowState'],
  'Emulation.setEmulatedMedia': ['media', 'name', 'value'],
  'Emulation.setLocaleOverride': ['locale'],
  'Emulation.setTimezoneOverride': ['timezoneId'],
  'Emulation.setUserAgentOverride': ['userAgent', 'acceptLanguage', 'platform'],
  'Fetch.failRequest': ['errorReason'],
  'Input.dispatchDragEvent': ['type'],
  'Input.dispatchMouseEvent': ['type', 'button', 'pointerType'],
  'Input.dispatchTouchEvent': ['type'],
  'Network.setUserAgentOverride': ['userAgent', 'acceptLanguage', 'platform'],
  'Page.captureScreenshot': ['format'],
  'Page.createIsolatedWorld': ['worldName'],
  'Page.navigate': ['url', 'referrer', 'referrerPolicy', 'transitionType', 'errorText'],
  'Page.printToPDF': ['transferMode'],
  'Page.setDownloadBehavior': ['behavior'],
  'Page.setWebLifecycleState': ['state'],
  'Page.startScreencast': ['format'],
  'Runtime.addBinding': ['name'],
  'Target.createTarget': ['url'],
});
const urlMembers = new Set(['url', 'referrer', 'origin']);
/** DevTools' own ids. */
const idMembers = new Set(['targetId', 'frameId', 'loaderId', 'browserContextId', 'openerId']);
const idPattern = /^[\dA-F]{32}$/;

/** Methods of which nothing but the named members is recorded: numbers would tell as well. */
const onlyMembers = byMethod({
  'Input.dispatchKeyEvent': ['type'],
  'Input.insertText': ['text'],
  'Input.imeSetComposition': ['text'],
});
/** Values for the page's functions. Only their number is recorded. */
const valueMembers = new Set(['arguments', 'args']);

/** Results that are recorded. Others may hold anything of a page. */
const recordedResults = new Set(['Page.navigate', 'Target.createTarget']);

const maxDepth = 6;
const maxItems = 20;
const maxMembers = 40;
const maxTextLength = 500;
/** Values of one command that are looked at for secrets. */
const maxLearned = 200;
const harmlessKey = /^[a-zA-Z_-]{1,40}$/;

/**
 * A command's parameters without its texts, except those that are known to be harmless; undefined if there are none.
 */
export function maskParams(method: string, params: unknown, mask: Mask): unknown {
  if (typeof params !== 'object' || params === null || Object.keys(params).length === 0) return undefined;
  const only = onlyMembers.get(method);
  const shown = only
    ? Object.fromEntries(Object.entries(params).filter(([key]) => only.includes(key)))
    : params;
  if (method === 'Input.dispatchKeyEvent') return { type: keyEventType(shown) };
  return new Masking(method, mask).value(shown, 0);
}

/** Whether the results of this method are recorded. */
export const recordsResult = (method: string): boolean => recordedResults.has(method);

export function maskResult(method: string, result: unknown, mask: Mask): unknown {
  if (!recordedResults.has(method) || typeof result !== 'object' || result === null) return undefined;
  return new Masking(method, mask).value(result, 0);
}

class Masking {
  readonly #kept: readonly string[];
  readonly #mask: Mask;

  constructor(method: string, mask: Mask) {
    this.#kept = keptTexts.get(method) ?? [];
    this.#mask = mask;
  }

  value(value: unknown, depth: number, key = ''): unknown {
    if (typeof value === 'string') return this.#text(key, value);
    if (typeof value !== 'object' || value === null) return value;
    if (valueMembers.has(key)) return `${Array.isArray(value) ? value.length : 1} values`;
    if (depth >= maxDepth) return '…';
    if (Array.isArray(value)) {
      const items = value.slice(0, maxItems).map((item) => this.value(item, depth + 1, key));
      return value.length > maxItems ? [...items, `… ${value.length - maxItems} more`] : items;
    }
    const members = Object.entries(value).slice(0, maxMembers);
    return Object.fromEntries(
      members.map(([name, member]) => [
        harmlessKey.test(name) ? name : lengthOf(name),
        this.value(member, depth + 1, name),
      ]),
    );
  }

  #text(key: string, text: string): string {
    if (idMembers.has(key) && idPattern.test(text)) return text;
    if (!this.#kept.includes(key)) return lengthOf(text);
    return urlMembers.has(key) ? this.#mask.url(text) : this.#mask.text(text, maxTextLength);
  }
}

const lengthOf = (text: string): string => `string(${text.length})`;

const keyEventTypes: readonly unknown[] = ['keyDown', 'keyUp', 'rawKeyDown', 'char'];

function keyEventType({ type }: { type?: unknown }): unknown {
  return keyEventTypes.includes(type) ? type : undefined;
}

/** Learns the secrets that a client gives the browser: cookies, credentials, headers. */
export function learnFromParams(method: string, params: unknown, mask: Mask): void {
  let left = maxLearned;
  const learn = (value: unknown, key: string, depth: number): void => {
    if (left <= 0) return;
    if (typeof value === 'string') {
      left -= 1;
      if (key === 'value' && /cookie/i.test(method)) mask.learnCookieValue(value);
      else if (key === 'url' || key === 'referrer') mask.url(value);
      else if (key.toLowerCase() === 'cookie' || isTelling(key)) mask.learnHeader(key, value);
    } else if (typeof value === 'object' && value !== null && depth < maxDepth) {
      const { name, value: named } = value as { name?: unknown; value?: unknown };
      if (typeof name === 'string' && typeof named === 'string') mask.learnHeader(name, named);
      for (const [member, inner] of Object.entries(value)) {
        learn(inner, Array.isArray(value) ? key : member, depth + 1);
      }
    }
  };
  if (/^(?:Fetch|Network|Storage|Page\.navigate|Target\.createTarget)/.test(method)) learn(params, '', 0);
}

/** A map, because a method's name comes from a client and may be that of any object's member. */
function byMethod(
  members: Readonly<Record<string, readonly string[]>>,
): ReadonlyMap<string, readonly string[]> {
  return new Map(Object.entries(members));
}
