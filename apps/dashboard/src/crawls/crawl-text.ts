import type { Crawl } from '@turnpike/contract/crawl';
import { count } from '../parts/values/figures.ts';

export const isActive = ({ state }: Pick<Crawl, 'state'>): boolean =>
  state === 'queued' || state === 'running';

/** What it crawls. */
export const nameOf = ({ url, pages }: Pick<Crawl, 'url' | 'pages'>): string =>
  url ?? `Batch of ${count(pages.found)} pages`;

/** Pages that are over, of those that were found. */
export const finished = ({ found, open }: Crawl['pages']): number => Math.max(0, found - open);

export const progressText = ({ pages }: Pick<Crawl, 'pages'>): string =>
  `${count(finished(pages))} of ${count(pages.found)}`;

const limits: Readonly<Record<string, string>> = {
  CONCURRENCY_LIMIT: 'waits for a free slot of the account',
  RATE_LIMIT: 'waits because of the limit of creates per minute',
  USAGE_CAP_REACHED: 'waits because the browser hours are used',
  CAPACITY: 'waits for a free browser',
  PAGE_CALLS_OFF: 'waits because page calls are turned off',
};

/** Why it does not go on at the moment; undefined if it does. */
export function waitText({ waiting }: Pick<Crawl, 'waiting'>): string | undefined {
  return waiting === null ? undefined : (limits[waiting] ?? `waits: ${waiting}`);
}
