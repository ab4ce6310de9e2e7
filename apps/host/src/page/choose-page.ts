import type { PageCall } from '@turnpike/contract/page/page-call';
import type { Targets } from '../targets/targets.ts';
import { PageError } from './page-error.ts';

/** Finds the page that a call is about. */
export async function choosePage(
  targets: Pick<Targets, 'pages'>,
  _call: PageCall,
  _signal: AbortSignal,
): Promise<string> {
  const page = targets.pages().at(-1);
  if (!page) throw new PageError('PAGE_CLOSED', 'The session has no page. Open one, or pass url.');
  return page.targetId;
}
