import type { PageCall } from '@turnpike/contract/page/page-call';
import type { Targets } from '../targets/targets.ts';
import { PageError } from './page-error.ts';

/** A browser that takes longer is stopped, or overloaded. */
const answerMs = 5000;
const visibleMs = 500;
/** How many of the newest pages are asked whether they are in the front. */
const maxAsked = 20;

/**
 * Finds the page that a call is about: a blank one for what is to be loaded, if there is one. Otherwise the one in the
 * front; of several, the newest.
 */
export async function choosePage(targets: Targets, { parameters: { url, html } }: PageCall): Promise<string> {
  const pages = targets.pages();
  const [first, second] = pages;
  if (!first) throw new PageError('PAGE_CLOSED', 'The session has no page. Open one first.');
  if (!second) return first.targetId;
  if (url !== undefined || html !== undefined) {
    const known = new Set(pages.map(({ targetId }) => targetId));
    const infos = await targets.describePages(answerMs);
    const blank = infos.find((info) => info.url === 'about:blank' && known.has(info.targetId));
    if (blank) return blank.targetId;
  }
  const newest = pages.slice(-maxAsked).reverse();
  const visible = await Promise.all(newest.map((page) => targets.isVisible(page, visibleMs)));
  return (newest.find((_, index) => visible[index]) ?? newest[0] ?? first).targetId;
}
