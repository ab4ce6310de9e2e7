import type { TappedMessage } from '../switchboard/message-tap.ts';
import { steadyNow } from '../switchboard/steady-clock.ts';
import type { EventLog } from './event-log.ts';
import type { Mask } from './mask.ts';
import { learnFromParams, maskParams, maskResult } from './mask-command.ts';
import { inTab, type RecordedTargets } from './recorded-targets.ts';

/** A command without an answer so far. */
interface PendingCommand {
  command: number;
  method: string;
  at: number;
  tab: number | undefined;
}

interface RecordedClient {
  client: number;
  /** What the connection itself is with; undefined: the browser. */
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

/** The answers to older ones are not recorded. */
const maxPending = 5000;
const maxErrorLength = 500;
const maxMethodLength = 100;
const maxTypedLength = 200;

/** Records what clients ask of the browser and what it answers. */
export class CommandRecorder {
  readonly #log: EventLog;
  readonly #mask: Mask;
  readonly #targets: RecordedTargets;
  readonly #clients = new Map<number, RecordedClient>();
  readonly #pending = new Map<string, PendingCommand>();
  #commands = 0;
  #lastClient = 0;
  /** What is being typed key by key, by CDP session. */
  readonly #typed = new Map<string, string>();

  constructor(log: EventLog, mask: Mask, targets: RecordedTargets) {
    this.#log = log;
    this.#mask = mask;
    this.#targets = targets;
  }

  connected(clientId: number, targetId: string | undefined): void {
    this.#lastClient += 1;
    const client = this.#lastClient;
    this.#clients.set(clientId, { client, targetId });
    this.#log.add({ kind: 'client.connected', client });
  }

  disconnected(clientId: number): void {
    const { client } = this.#clients.get(clientId) ?? {};
    this.#clients.delete(clientId);
    if (client === undefined) return;
    for (const key of this.#pending.keys()) if (key.startsWith(`${client} `)) this.#pending.delete(key);
    this.#log.add({ kind: 'client.disconnected', client });
  }

  tapped({ clientId, from, text, isWhole, cdpSessionId, at, dropped }: TappedMessage): void {
    for (let i = 0; i < dropped; i++) this.#log.drop('events');
    const client = this.#clients.get(clientId);
    if (!client) return;
    const message = isWhole ? parsed(text) : outlined(text);
    if (from === 'client') this.#asked(client, message, cdpSessionId, at);
    else this.#answered(client, message, cdpSessionId, at);
  }

  /** The host has answered a client in place of the browser. */
  answered(clientId: number, text: string): void {
    const client = this.#clients.get(clientId);
    if (client) this.#answered(client, parsed(text), undefined, steadyNow());
  }

  #asked(
    { client, targetId }: RecordedClient,
    message: Message,
    cdpSessionId: string | undefined,
    at: number,
  ): void {
    const { id, params, sessionId } = message;
    const method = typeof message.method === 'string' ? message.method : '';
    const session = typeof sessionId === 'string' ? sessionId : cdpSessionId;
    learnFromParams(method, params, this.#mask);
    this.#learnTyped(session ?? '', method, params);
    this.#commands += 1;
    const command = this.#commands;
    const tab =
      session === undefined ? this.#targets.ofId(targetId)?.tab : this.#targets.tabOfClientSession(session);
    this.#pending.set(keyOf(client, session, id), { command, method, at, tab });
    const [oldest] = this.#pending.keys();
    if (oldest !== undefined && this.#pending.size > maxPending) this.#pending.delete(oldest);
    const shown = maskParams(method, params, this.#mask);
    const name = this.#mask.text(method, maxMethodLength);
    this.#log.add(
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
    const session = typeof message.sessionId === 'string' ? message.sessionId : cdpSessionId;
    const key = keyOf(client, session, message.id);
    const pending = this.#pending.get(key);
    this.#pending.delete(key);
    if (!pending) return;
    const { command, method, tab } = pending;
    const result = maskResult(method, message.result, this.#mask);
    const error = message.error && this.#mask.text(String(message.error.message), maxErrorLength);
    const ms = Math.max(0, Math.round((at - pending.at) * 10) / 10);
    this.#log.add(
      {
        ...{ kind: 'command.done', ...inTab(tab), client, command, ms },
        ...(error !== undefined && { error }),
        ...(result !== undefined && { result }),
      },
      at,
    );
  }

  /** Puts together what is typed key by key, until something else is asked for. */
  #learnTyped(session: string, method: string, params: unknown): void {
    const { text, type } = (params ?? {}) as { text?: unknown; type?: unknown };
    if (method === 'Input.insertText' && typeof text === 'string') this.#mask.typed(text);
    const typed = this.#typed.get(session) ?? '';
    if (method === 'Input.dispatchKeyEvent') {
      const isKey = typeof text === 'string' && text.length === 1 && text >= ' ' && type !== 'keyUp';
      if (isKey && typed.length < maxTypedLength) this.#typed.set(session, typed + text);
    } else if (typed !== '') {
      this.#typed.delete(session);
      this.#mask.typed(typed);
    }
  }
}

const keyOf = (client: number, session: string | undefined, id: unknown): string =>
  `${client} ${session ?? ''} ${String(id)}`;

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
