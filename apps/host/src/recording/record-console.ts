import type { Protocol } from 'devtools-protocol';
import type { Controller } from '../chromium/controller.ts';
import type { Command } from '../chromium/protocol.ts';
import type { Targets } from '../targets/targets.ts';
import type { BrowserEvents } from './browser-events.ts';
import { type EventLog, inTab } from './event-log.ts';
import type { Mask } from './masks/mask.ts';
import { masked } from './masks/secret-set.ts';
import { isTelling } from './masks/telling-names.ts';

const maxTextLength = 4000;

/** How often the objects that a page wrote to its console are released. The page would keep them for the host. */
const releaseEveryMs = 2000;

/** Has a target report its console and its exceptions. */
export function consoleCommands(targetType: string): Command[] {
  const log: Command[] = targetType === 'service_worker' || targetType === 'page' ? [['Log.enable', {}]] : [];
  return [['Runtime.enable', {}], ...log];
}

interface ConsoleRecording {
  controller: Controller;
  events: BrowserEvents;
  log: EventLog;
  mask: Mask;
  targets: Targets;
}

/** Records what pages and workers write to the console, and exceptions that nobody caught. */
export class ConsoleRecorder {
  readonly #controller: Controller;
  readonly #withObjects = new Set<string>();
  readonly #timer: NodeJS.Timeout;

  constructor({ controller, events, log, mask, targets }: ConsoleRecording) {
    this.#controller = controller;
    this.#timer = setInterval(() => this.#release(), releaseEveryMs).unref();
    const place = (url: string | undefined, line: number | undefined) => ({
      ...(url && { url: mask.url(url) }),
      ...(line !== undefined && { line: line + 1 }),
    });
    const tabOf = (cdpSessionId: string | undefined) => inTab(targets.ofSession(cdpSessionId)?.tab);
    events.on('Runtime.consoleAPICalled', ({ type, args, stackTrace }, cdpSessionId) => {
      if (cdpSessionId !== undefined && args.some(({ objectId }) => objectId))
        this.#withObjects.add(cdpSessionId);
      if (log.isFull) return log.drop('events');
      const [frame] = stackTrace?.callFrames ?? [];
      const text = mask.text(joined(args), maxTextLength);
      const where = place(frame?.url, frame?.lineNumber);
      log.add({ kind: 'console', ...tabOf(cdpSessionId), level: levelOf(type), text, ...where });
    });
    events.on('Runtime.exceptionThrown', ({ exceptionDetails: details }, cdpSessionId) => {
      if (cdpSessionId !== undefined && details.exception?.objectId) this.#withObjects.add(cdpSessionId);
      if (log.isFull) return log.drop('events');
      const thrown = details.exception && textOf(details.exception);
      const text = mask.text(thrown === undefined ? details.text : thrown, maxTextLength);
      const where = place(details.url, details.lineNumber);
      log.add({ kind: 'exception', ...tabOf(cdpSessionId), text, ...where });
    });
    events.on('Log.entryAdded', ({ entry }, cdpSessionId) => {
      if (entry.source === 'network') return; // The request says it.
      if (log.isFull) return log.drop('events');
      const where = place(entry.url, entry.lineNumber);
      const text = mask.text(entry.text, maxTextLength);
      log.add({ kind: 'console', ...tabOf(cdpSessionId), level: entry.level, text, ...where });
    });
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /** The CDP session is gone, and its objects with it. */
  detached(cdpSessionId: string): void {
    this.#withObjects.delete(cdpSessionId);
  }

  #release(): void {
    for (const cdpSessionId of this.#withObjects) {
      this.#controller
        .call('Runtime.releaseObjectGroup', { objectGroup: 'console' }, { cdpSessionId })
        .catch(() => {}); // It is gone.
    }
    this.#withObjects.clear();
  }
}

/** As much of the arguments as is looked at. */
function joined(args: readonly Protocol.Runtime.RemoteObject[]): string {
  let text = '';
  for (const arg of args) {
    if (text.length > 8 * maxTextLength) break;
    text += `${text === '' ? '' : ' '}${textOf(arg).slice(0, 8 * maxTextLength)}`;
  }
  return text;
}

function levelOf(type: string): string {
  if (type === 'assert') return 'error';
  return type === 'log' ? 'info' : type;
}

/** As the console shows it: an object with its first members, as far as Chromium tells them. */
function textOf({
  type,
  value,
  unserializableValue,
  description,
  preview,
}: Protocol.Runtime.RemoteObject): string {
  if (typeof value === 'string') return value;
  if (unserializableValue !== undefined) return unserializableValue;
  if (preview && isPlain(preview)) return previewText(preview);
  if (description !== undefined) return description;
  return value === undefined ? type : (JSON.stringify(value) ?? type);
}

/** Errors, nodes, dates and functions say more by their description. */
const isPlain = ({ type, subtype }: Protocol.Runtime.ObjectPreview): boolean =>
  type === 'object' && (subtype === undefined || subtype === 'array');

/** `{a: 1, b: "x"}`, `[1, 2]`, `Cart {items: Array(2)}`. */
function previewText({
  subtype,
  description = 'Object',
  properties,
  overflow,
}: Protocol.Runtime.ObjectPreview): string {
  const isArray = subtype === 'array';
  const members = properties.map((property) =>
    isArray ? memberText(property) : `${property.name}: ${memberText(property)}`,
  );
  const inside = [...members, ...(overflow ? ['…'] : [])].join(', ');
  const named = isArray || description === 'Object' ? '' : `${description} `;
  return isArray ? `[${inside}]` : `${named}{${inside}}`;
}

function memberText({ name, type, value = '' }: Protocol.Runtime.PropertyPreview): string {
  if (isTelling(name)) return masked;
  if (type === 'string') return JSON.stringify(value);
  return value === '' ? type : value;
}
