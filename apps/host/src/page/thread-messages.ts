import type { PageAnswer, PageCall } from '@turnpike/contract/page/page-call';
import type { FilterListFiles } from '../saving/filter-lists.ts';

export interface PageThreadData {
  /** Where the host listens for the thread. */
  socketPath: string;
  /** The operator's files. */
  blockLists: FilterListFiles;
}

/** One call, and the page that it is about. */
export interface ThreadCall {
  id: number;
  call: PageCall;
  cdpId: string;
  targetId: string;
}

export type ToPageThread = ThreadCall | { id: number; cancel: true };

export interface FromPageThread {
  id: number;
  answer: PageAnswer;
}
