import type { RecordedEvent } from '@turnpike/contract/recording';
import { actionText } from './action-text.ts';
import { eventText } from './event-text.ts';

/** What the lists show: events joined to rows, such as a request with its response. */

type EventOf<Kind extends RecordedEvent['kind']> = Extract<RecordedEvent, { kind: Kind }>;

interface BaseRow {
  key: string;
  t: number;
  tab: number | undefined;
  isError: boolean;
  /** In lower case, to be searched. */
  text: string;
}

/** `t` is when it began. */
export interface ActionRow extends BaseRow {
  action: EventOf<'action'>;
}

export interface CommandRow extends BaseRow {
  command: EventOf<'command'>;
  done: EventOf<'command.done'> | undefined;
}

export interface NetworkRow extends BaseRow {
  request: EventOf<'request'>;
  response: EventOf<'response'> | undefined;
  done: EventOf<'request.done'> | undefined;
  failed: EventOf<'request.failed'> | undefined;
  bodies: EventOf<'body'>[];
  /** When it ended; undefined if it has not, as far as is known. */
  endMs: number | undefined;
}

export interface ConsoleRow extends BaseRow {
  event: EventOf<'console'> | EventOf<'exception'>;
}

export interface EventRow extends BaseRow {
  event: RecordedEvent;
}

export interface Rows {
  actions: ActionRow[];
  commands: CommandRow[];
  network: NetworkRow[];
  console: ConsoleRow[];
  events: EventRow[];
  /** Times of all errors, in order. */
  errors: number[];
}

export const emptyRows = (): Rows => ({
  ...{ actions: [], commands: [], network: [], console: [], events: [], errors: [] },
});

const textOf = (...parts: unknown[]): string =>
  parts
    .filter((part) => part !== undefined)
    .map((part) => (typeof part === 'string' ? part : JSON.stringify(part)))
    .join(' ')
    .toLowerCase();

/** Joins the events, which are in order of time, though some in between may not be there yet. */
export function rowsOf(events: Iterable<RecordedEvent>): Rows {
  const rows = emptyRows();
  const commands = new Map<string, CommandRow>();
  const requests = new Map<string, NetworkRow>();
  for (const event of events) {
    if (event.kind === 'action') addAction(rows, event);
    else if (event.kind === 'command' || event.kind === 'command.done') addCommand(rows, commands, event);
    else if (isOfRequest(event)) addRequest(rows, requests, event);
    else if (event.kind === 'console' || event.kind === 'exception') addConsole(rows, event);
    else if (event.kind !== 'picture') addEvent(rows, event);
  }
  for (const row of rows.network) finish(row);
  // They are told when they are over.
  rows.actions.sort((a, b) => a.t - b.t);
  const errors = [...rows.actions, ...rows.network, ...rows.console, ...rows.events].filter(
    ({ isError }) => isError,
  );
  rows.errors = errors.map(errorTime).sort((a, b) => a - b);
  return rows;
}

/** When it went wrong, and not when it began. */
function errorTime(row: Rows[keyof Omit<Rows, 'errors'>][number]): number {
  if ('action' in row) return row.t + row.action.ms;
  if ('request' in row) return row.failed?.t ?? row.response?.t ?? row.t;
  return row.t;
}

function addAction(rows: Rows, event: EventOf<'action'>): void {
  const { name, what, note } = actionText(event);
  const text = textOf(name, what, note, event.target);
  const isError = event.error !== undefined;
  rows.actions.push({
    key: `a${rows.actions.length}`,
    t: event.from,
    tab: event.tab,
    isError,
    text,
    action: event,
  });
}

function addCommand(
  rows: Rows,
  commands: Map<string, CommandRow>,
  event: EventOf<'command'> | EventOf<'command.done'>,
): void {
  const key = `${event.client}.${event.command}`;
  if (event.kind === 'command') {
    const text = textOf(event.method, event.params);
    const row = { key, t: event.t, tab: event.tab, isError: false, text, command: event, done: undefined };
    commands.set(key, row);
    rows.commands.push(row);
    return;
  }
  const row = commands.get(key);
  if (!row) return;
  row.done = event;
  row.text += ` ${textOf(event.error, event.result)}`;
}

type RequestEvent = EventOf<'request' | 'response' | 'request.done' | 'request.failed' | 'body'>;

const requestKinds: readonly string[] = ['request', 'response', 'request.done', 'request.failed', 'body'];
const isOfRequest = (event: RecordedEvent): event is RequestEvent => requestKinds.includes(event.kind);

function addRequest(rows: Rows, requests: Map<string, NetworkRow>, event: RequestEvent): void {
  if (event.kind === 'request') {
    const row: NetworkRow = {
      key: `${event.id}@${event.t}`,
      t: event.t,
      tab: event.tab,
      isError: false,
      text: '',
      request: event,
      response: undefined,
      done: undefined,
      failed: undefined,
      bodies: [],
      endMs: undefined,
    };
    // Both requests of a redirect have one id. What comes from now on belongs to the later one.
    const former = requests.get(event.id);
    if (former) former.endMs = event.t;
    requests.set(event.id, row);
    rows.network.push(row);
    return;
  }
  const row = requests.get(event.id);
  if (!row) return;
  if (event.kind === 'response') row.response = event;
  else if (event.kind === 'request.done') row.done = event;
  else if (event.kind === 'request.failed') row.failed = event;
  else row.bodies.push(event);
}

function finish(row: NetworkRow): void {
  const { request, response, done, failed } = row;
  row.isError = (failed !== undefined && !failed.isCanceled) || (response?.status ?? 0) >= 400;
  row.endMs = done?.t ?? failed?.t ?? row.endMs;
  row.text = textOf(
    ...[request.method, request.url, request.type, response?.status, response?.mimeType, failed?.error],
    ...[request.headers, response?.headers, ...row.bodies.map(({ text }) => text)],
  );
}

function addConsole(rows: Rows, event: EventOf<'console'> | EventOf<'exception'>): void {
  const isError = event.kind === 'exception' || event.level === 'error';
  const text = textOf(event.kind === 'console' ? event.level : 'exception', event.text, event.url);
  rows.console.push({ key: `c${rows.console.length}`, t: event.t, tab: event.tab, isError, text, event });
}

function addEvent(rows: Rows, event: RecordedEvent): void {
  const isError = event.kind === 'tab.crashed';
  const text = textOf(event.kind, eventText(event).name, eventText(event).detail);
  rows.events.push({ key: `e${rows.events.length}`, t: event.t, tab: event.tab, isError, text, event });
}

/** The rows that contain every word of the search. */
export function search<Row extends BaseRow>(rows: readonly Row[], words: string): readonly Row[] {
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
  return wanted.length === 0 ? rows : rows.filter(({ text }) => wanted.every((word) => text.includes(word)));
}

export interface TabState {
  tab: number;
  url: string;
  title: string;
  isShown: boolean;
}

/** The tabs that are open at a time, as far as the events are there. */
export function tabsAt(events: Iterable<RecordedEvent>, t: number): TabState[] {
  const tabs = new Map<number, TabState>();
  const change = (tab: number, changes: Partial<TabState>) =>
    tabs.set(tab, { ...(tabs.get(tab) ?? { tab, url: '', title: '', isShown: false }), ...changes });
  const show = (shown: number) => {
    for (const tab of tabs.keys()) change(tab, { isShown: tab === shown });
  };
  for (const event of events) {
    if (event.t > t) break;
    const { tab } = event;
    if (tab === undefined) continue;
    if (event.kind === 'tab.closed') tabs.delete(tab);
    else if (event.kind === 'tab.opened') change(tab, { url: event.url, isShown: tabs.size === 0 });
    else if (event.kind === 'tab.changed') change(tab, { url: event.url, title: event.title });
    else if (event.kind === 'navigated' && event.isMainFrame) change(tab, { url: event.url });
    // Pictures are of the tab in front.
    else if (event.kind === 'tab.shown' || event.kind === 'picture') {
      change(tab, {});
      show(tab);
    }
  }
  return [...tabs.values()];
}
