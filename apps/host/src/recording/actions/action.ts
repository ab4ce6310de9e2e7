import type { RecordedAction } from '@turnpike/contract/recording';
import type { Mask } from '../masks/mask.ts';

type Element = NonNullable<RecordedAction['element']>;

/** What a client is doing. Times are by `hrtimeMs`. */
export interface Action {
  client: number;
  tab: number | undefined;
  name: string;
  target: string | undefined;
  detail: string | undefined;
  element: Element | undefined;
  from: number;
  end: number;
  times: number;
  error: string | undefined;
  /** Commands that are not answered yet. */
  pending: number;
  /** Nothing more belongs to it. It is told when nothing is pending. */
  isClosed: boolean;
  /** It goes on until the page has loaded, or the client goes on. */
  isLoading: boolean;
  /** What comes next may turn out to be what this was for. */
  beginning: readonly string[];
  /** Where a button was pressed. */
  pressedAt: { x: number; y: number } | undefined;
  isTold: boolean;
  /** Whether the element's name was asked for, and is known, as far as it ever will be. */
  naming: 'none' | 'asked' | 'done';
}

export function newAction(
  action: Pick<Action, 'client' | 'tab' | 'name' | 'from'> & Partial<Action>,
): Action {
  return {
    ...{ target: undefined, detail: undefined, element: undefined, error: undefined, pressedAt: undefined },
    ...{ end: action.from, times: 1, pending: 0, beginning: [] },
    ...{ isClosed: false, isLoading: false, isTold: false, naming: 'none' as const },
    ...action,
  };
}

const [maxTargetLength, maxDetailLength, maxErrorLength, maxNameLength] = [200, 2000, 300, 100];
/** The value of a field is what somebody may have typed. */
const valueInSelector = /(\[\s*value\s*[~|^$*]?=)[^\]]*/gi;

/** An action as it is recorded: without what may be secret. */
export function recorded(action: Action, startedAt: number, mask: Mask): Omit<RecordedAction, 'kind'> {
  const { client, name, target, detail, element, from, end, times, error } = action;
  const round = (ms: number) => Math.max(0, Math.round(ms * 10) / 10);
  return {
    client,
    from: round(from - startedAt),
    ms: round(end - from),
    name,
    ...(target && { target: mask.text(target.replace(valueInSelector, '$1•••'), maxTargetLength) }),
    ...(element && { element: { role: element.role, name: mask.text(element.name, maxNameLength) } }),
    ...(detail && { detail: name === 'goto' ? mask.url(detail) : mask.text(detail, maxDetailLength) }),
    ...(times > 1 && { times }),
    ...(error !== undefined && { error: mask.text(error, maxErrorLength) }),
  };
}
