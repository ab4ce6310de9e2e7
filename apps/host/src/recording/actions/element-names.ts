import type { Protocol } from 'devtools-protocol';
import type { Controller } from '../../chromium/controller.ts';
import type { Targets } from '../../targets/targets.ts';
import type { Action } from './action.ts';

/** How many are asked for at once, and how soon there may be another one. A page computes each. */
const [maxBurst, refillMs] = [5, 200];
const timeoutMs = 5000;
/** A page that takes longer is asked no more until it is another one. */
const slowMs = 1000;
const maxAncestors = 10;

/** Roles that a person would name an element by. */
const telling = new Set(
  `button link textbox searchbox checkbox radio combobox listbox option menuitem menuitemcheckbox menuitemradio tab
  switch slider spinbutton treeitem gridcell cell heading image`.split(/\s+/),
);

interface Options {
  controller: Controller;
  targets: Targets;
}

/**
 * Asks a page for the accessible name of what is at a point, in a CDP session of the host's own. The page does not see
 * it.
 */
export class ElementNames {
  readonly #options: Options;
  readonly #slow = new Set<string>();
  #tokens = maxBurst;
  #refilledAt = 0;

  constructor(options: Options) {
    this.#options = options;
    options.controller.on('Page.frameNavigated', ({ frame }, cdpSessionId) => {
      if (frame.parentId === undefined && cdpSessionId !== undefined) this.#slow.delete(cdpSessionId);
    });
  }

  detached(cdpSessionId: string): void {
    this.#slow.delete(cdpSessionId);
  }

  async at(tab: number, x: number, y: number): Promise<Action['element']> {
    const page = this.#options.targets.pages().find((one) => one.tab === tab);
    if (!page || this.#slow.has(page.cdpSessionId) || !this.#takeToken()) return undefined;
    const begun = performance.now();
    try {
      return await this.#ask(page.cdpSessionId, x, y);
    } catch {
      return undefined; // It is another page by now, or busy.
    } finally {
      if (performance.now() - begun > slowMs) this.#slow.add(page.cdpSessionId);
    }
  }

  async #ask(cdpSessionId: string, x: number, y: number): Promise<Action['element']> {
    const { controller } = this.#options;
    const to = { cdpSessionId, timeoutMs };
    // All at once, before the page goes on: the point is one of the document.
    const metrics = await controller.call('Page.getLayoutMetrics', {}, to);
    const { pageX, pageY } = metrics.cssVisualViewport;
    const point = { x: Math.round(x + pageX), y: Math.round(y + pageY) };
    const { backendNodeId } = await controller.call('DOM.getNodeForLocation', point, to);
    const { nodes } = await controller.call(
      'Accessibility.getPartialAXTree',
      { backendNodeId, fetchRelatives: true },
      to,
    );
    return named(nodes);
  }

  #takeToken(): boolean {
    const now = performance.now();
    this.#tokens = Math.min(maxBurst, this.#tokens + (now - this.#refilledAt) / refillMs);
    this.#refilledAt = now;
    if (this.#tokens < 1) return false;
    this.#tokens -= 1;
    return true;
  }
}

/** The node itself comes first. What is inside a button is part of the button. */
function named([first, ...others]: readonly Protocol.Accessibility.AXNode[]): Action['element'] {
  const byId = new Map(others.map((node) => [node.nodeId, node]));
  let node = first;
  for (let depth = 0; node && depth < maxAncestors; depth++) {
    const role = String(node.role?.value ?? '');
    if (!node.ignored && telling.has(role)) return { role, name: String(node.name?.value ?? '').trim() };
    node = node.parentId === undefined ? undefined : byId.get(node.parentId);
  }
  return undefined;
}
