/** What a command means to the person who wrote the client's program. */
export type Step = FindStep | ActStep | OwnStep;

/** Looks for an element. What follows acts on it; if nothing does, it is an action by itself. */
export interface FindStep {
  kind: 'find';
  name: 'find' | 'wait for';
  selector: string;
}

export interface ActStep {
  kind: 'act';
  name: string;
  detail?: string;
  /** The command says itself which element it is about. */
  selector?: string;
  /** Whether it acts on the element that was found just before. */
  onFound?: boolean;
  /** It is only the beginning of what comes next, if that is one of these. */
  beginning?: readonly string[];
  /** It goes on until the page has loaded. */
  loads?: boolean;
}

/** Part of how a client works. Nobody asked for it by name. */
interface OwnStep {
  kind: 'own';
}

export const own: OwnStep = { kind: 'own' };
export const act = (name: string, more: Omit<ActStep, 'kind' | 'name'> = {}): ActStep => ({
  kind: 'act',
  name,
  ...more,
});
export const find = (selector: string, name: FindStep['name'] = 'find'): FindStep => ({
  kind: 'find',
  name,
  selector,
});

/** What a click, a key or a text may follow without being another action. */
export const focusing: readonly string[] = ['type', 'press', 'fill', 'click'];
