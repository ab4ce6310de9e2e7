import type { PageAnswer, PageCall } from '@turnpike/contract/page/page-call';

export interface PageThreadData {
  /** Where the host listens for the thread. */
  socketPath: string;
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
