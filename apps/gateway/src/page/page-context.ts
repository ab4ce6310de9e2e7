import type { CreateContext } from '../creates/create-context.ts';
import { FairSlots } from '../http/answers/fair-slots.ts';
import type { ModelContext } from '../models/model-context.ts';

/** What page calls work with. */
export interface PageContext extends CreateContext, ModelContext {
  /** Slots of page calls. Each has its answer in memory for a moment, so their number bounds the memory. */
  pageSlots: FairSlots;
  /** Whether the operator offers them. */
  pageCalls: boolean;
}

export const createPageSlots = () =>
  new FairSlots({
    atOnce: 64,
    perOwner: 32,
    waitingPerOwner: 256,
    maxWaitMs: 20_000,
    tooMany: 'tooManyPages',
  });
