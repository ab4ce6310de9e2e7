import type { TappedMessage } from '../filters/message-tap.ts';
import { hrtimeMs } from '../native/hrtime.ts';
import type { Targets } from '../targets/targets.ts';
import type { ActionRecorder } from './actions/action-recorder.ts';
import { type EventLog, inTab } from './event-log.ts';
import type { Mask } from './masks/mask.ts';
import { learnFromParams, maskParams, maskResult, recordsResult } from './masks/mask-command.ts';
import { PendingCommands } from './pending-commands.ts';

interface RecordedClient {
  client: number;
  /** What the connection itself is with; undefined means the browser. */
  targetId: string | undefined;
}

interface Message {
  id?: unknown;
  method?: unknown;
  params?: unknown;
  sessionId?: unknown;
  result?: unknown;
  error?: { message?: unknown };
}

const maxErrorLength = 500;
const maxMethodLength = 100;
const maxTypedLength = 200;
/** Places in which something is being typed. */
const maxTyped = 100;

interface CommandRecording {
  log: EventLog;
  mask: Mask;
  targets: Targets;
  actions: ActionRecorder;
  /** Called with the tab that a client acts on. */
  onDriven(tab: number): void;
}

/** Records what clients ask of the browser and what it answers. */
export class CommandRecorder {
  readonly #parts: CommandRecording;
  readonly #clients = new Map<number, RecordedClient>();
  readonly #pending = new PendingCommands();
  #commands = 0;
  #lastClient = 0;
  /** What is being typed key by key, by connection or CDP session. */
  readonly #typed = new Map<string, string>();

  constructor(parts: CommandRecording) {
    this.#parts = parts;
  }

  get held(): { pending: number; typed: number } {
    return { pending: this.#pending.size, typed: this.#typed.size };
  }

  connected(clientId: number, targetId: string | undefined): void {
    this.#lastClient += 1;
    const client = this.#lastClient;
    this.#clients.set(clientId, { client, targetId });
    this.#parts.log.add({ kind: 'client.connected', client });
  }

  disconnected(clientId: number): void {
    const { client } = this.#clients.get(clientId) ?? {};
    this.#clients.delete(clientId);
    if (client === undefined) return;
    this.#forget(connectionOf(client));
    this.#parts.log.add({ kind: 'client.disconnected', client });
  }

  detached(cdpSessionIds: Iterable<string>): void {
    for (const cdpSessionId of cdpSessionIds) this.#forget(cdpSessionId);
  }

  tapped({ clientId, from, text, isWhole, cdpSessionId, at, dropped }: TappedMessage): void {
    const { log, mask } = this.#parts;
    log.drop('events', dropped);
    const client = this.#clients.get(clientId);
    if (!client) return;
    // An answer teaches nothing. A command may, so it is read as long as there is time for it.
    if (mask.isSpent || (log.isFull && from === 'browser')) {
      log.drop('events');
      return;
    }
    mask.spend(text.length);
    const message = isWhole ? parsed(text) : outlined(text);
    if (from === 'client') this.#asked(client, message, cdpSessionId, at, isWhole ? '' : text);
    else this.#answered(client, message, cdpSessionId, at);
  }

  /** The host has answered a client in place of the browser. */
  answered(clientId: number, text: string): void {
    const client = this.#clients.get(clientId);
    if (client && !this.#parts.log.isFull) this.#answered(client, parsed(text), undefined, hrtimeMs());
  }

  #asked(
    { client, targetId }: RecordedClient,
    message: Message,
    cdpSessionId: string | undefined,
    at: number,
    largeText: string,
  ): void {
    const { log, mask, targets, actions } = this.#parts;
    const { id, params } = message;
    const method = typeof message.method === 'string' ? message.method : '';
    const session = this.#sessionOf(message, cdpSessionId);
    const isForeign = session === undefined && typeof message.sessionId === 'string';
    const place = session ?? connectionOf(client);
    learnFromParams(method, params, mask);
    if (!isForeign) this.#learnTyped(place, method, params);
    const tab = session === undefined ? targets.get(targetId)?.tab : targets.ofClientSession(session)?.tab;
    if (tab !== undefined && isDriving(method)) this.#parts.onDriven(tab);
    this.#commands += 1;
    const command = this.#commands;
    if (log.isFull) {
      log.drop('events');
      return;
    }
    if (!isForeign && Number.isSafeInteger(id)) {
      const action = actions.asked({ place, client, tab, method, params, text: largeText, at });
      const pending = { command, method: recordsResult(method) ? method : '', at, tab, action };
      this.#pending.add(place, id as number, pending);
    }
    const shown = maskParams(method, params, mask);
    const name = mask.text(method, maxMethodLength);
    log.add(
      {
        kind: 'command',
        ...inTab(tab),
        client,
        command,
        method: name,
        ...(shown !== undefined && { params: shown }),
      },
      at,
    );
  }

  #answered(
    { client }: RecordedClient,
    message: Message,
    cdpSessionId: string | undefined,
    at: number,
  ): void {
    const { log, mask } = this.#parts;
    const place = this.#sessionOf(message, cdpSessionId) ?? connectionOf(client);
    const pending = this.#pending.take(place, message.id as number);
    if (!pending) return;
    const { command, method, tab, action } = pending;
    if (action) this.#parts.actions.answered(action, place, at, message);
    const result = maskResult(method, message.result, mask);
    const error = message.error && mask.text(String(message.error.message), maxErrorLength);
    const ms = Math.max(0, Math.round((at - pending.at) * 10) / 10);
    log.add(
      {
        kind: 'command.done',
        ...inTab(tab),
        client,
        command,
        ms,
        ...(error !== undefined && { error }),
        ...(result !== undefined && { result }),
      },
      at,
    );
  }

  /**
   * The CDP session that a message is about, if Chromium has issued it to a client; undefined means the connection
   * itself.
   */
  #sessionOf({ sessionId }: Message, cdpSessionId: string | undefined): string | undefined {
    if (cdpSessionId !== undefined) return cdpSessionId;
    const isKnown = typeof sessionId === 'string' && this.#parts.targets.clients.get(sessionId) !== undefined;
    return isKnown ? sessionId : undefined;
  }

  #forget(place: string): void {
    this.#parts.actions.forget(place, hrtimeMs());
    this.#pending.delete(place);
    this.#typed.delete(place);
  }

  /** Puts together what is typed key by key, until something else is asked for. */
  #learnTyped(place: string, method: string, params: unknown): void {
    const { text, type } = (params ?? {}) as { text?: unknown; type?: unknown };
    if (method === 'Input.insertText' && typeof text === 'string') this.#parts.mask.typed(text);
    const typed = this.#typed.get(place) ?? '';
    if (method === 'Input.dispatchKeyEvent') {
      const isKey = typeof text === 'string' && text.length === 1 && text >= ' ' && type !== 'keyUp';
      if (isKey && typed.length < maxTypedLength) this.#typed.set(place, typed + text);
      const [oldest] = this.#typed.keys();
      if (oldest !== undefined && this.#typed.size > maxTyped) this.#typed.delete(oldest);
    } else if (typed !== '') {
      this.#typed.delete(place);
      this.#parts.mask.typed(typed);
    }
  }
}

/** Stands for a client's own CDP session. No CDP session has such an id. */
const connectionOf = (client: number): string => `client ${client}`;

/** Whether a command acts on a page, and does not only listen to it: clients listen to all pages alike. */
const isDriving = (method: string): boolean => method.startsWith('Input.') || drivingMethods.has(method);
const drivingMethods = new Set([
  ...['Page.navigate', 'Page.reload', 'Page.navigateToHistoryEntry', 'Page.captureScreenshot'],
  ...['Page.bringToFront', 'Page.handleJavaScriptDialog', 'DOM.setFileInputFiles'],
]);

function parsed(text: string): Message {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : {};
  } catch {
    return {};
  }
}

/** Reads the first and last bytes of a large message. */
function outlined(text: string): Message {
  const method = /"method":\s*"([\w.]{1,100})"/.exec(text)?.[1];
  const id = (/^\{\s*"id":\s*(-?\d{1,10})/.exec(text) ??
    /,"id":\s*(-?\d{1,10})[^"{[]*(?:,"sessionId"|\}$)/.exec(text))?.[1];
  const isError = /^\{"id":-?\d{1,10},"error":/.test(text);
  return {
    ...(id !== undefined && { id: Number(id) }),
    ...(method !== undefined && { method }),
    ...(isError && { error: { message: 'a long error' } }),
  };
}
