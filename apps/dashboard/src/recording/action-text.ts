import type { RecordedAction } from '@turnpike/contract/recording';

export interface ActionText {
  name: string;
  /** What it was done to, as a person would say it. */
  what: string;
  /** What else there is to say. */
  note: string;
}

/** `click`, `button "Buy"`, `#buy`. */
export function actionText({ name, target, element, detail, times, error }: RecordedAction): ActionText {
  const said = element && (element.name === '' ? element.role : `${element.role} "${element.name}"`);
  const subject = detail ?? '';
  const what = [subject, said ?? target ?? ''].filter(Boolean);
  const selector = said === undefined || said === target ? undefined : target;
  return {
    name,
    what: what.join(name === 'press' ? ' in ' : ' '),
    note: error ?? [selector ?? '', times === undefined ? '' : `${times} times`].filter(Boolean).join(' · '),
  };
}
