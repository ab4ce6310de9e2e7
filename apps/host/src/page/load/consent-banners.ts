import { HostError } from '@turnpike/contract/host';
import type { ElementNames, FilterList } from '../../saving/filter-list.ts';
import type { FilterLists } from '../../saving/filter-lists.ts';
import { type CalledPage, inTime } from '../called-page.ts';
import { PageError } from '../page-error.ts';
import { callInPage } from '../page-script.ts';

/** Consent banners, by the operator's filter lists: what loads them is not requested, and what is there is removed. */

/** How much of a page's ids and classes the lists are asked about. */
const maxNamesLength = 200_000;

export async function loadBannerList(filterLists: FilterLists): Promise<FilterList> {
  try {
    return await filterLists.load('banners');
  } catch (error) {
    const isMissing = error instanceof HostError && error.code === 'NO_FILTER_LIST';
    const reason = isMissing ? 'this service has none' : 'it cannot be read';
    throw new PageError(
      'PAGE_FAILED',
      `blockConsentModals needs a filter list, and ${reason}. Leave it out, or ask the operator.`,
    );
  }
}

/** Removes what the lists name from the page as it is now. */
export async function removeBanners(page: CalledPage, list: FilterList): Promise<void> {
  const { world, events } = page;
  const reading = world.evaluateText(callInPage('elementNames', maxNamesLength));
  const names = JSON.parse(await inTime(page, 'blockConsentModals', undefined, reading)) as ElementNames;
  const style = list.hidingStyle(events.current.url, names);
  if (style === '') return;
  const removing = world.evaluateText(callInPage('removeHidden', style));
  await inTime(page, 'blockConsentModals', undefined, removing);
}
