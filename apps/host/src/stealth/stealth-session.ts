import type { Replacement } from '../filters/message-filter.ts';
import { ClientBindings, calledBinding, calledContext } from './client-bindings.ts';
import { ClientConsole } from './client-console.ts';
import { ClientDomains } from './client-domains.ts';
import { type ConsoleMessage, tooLong } from './client-events.ts';
import { ContextFinder, type ContextListener } from './context-finder.ts';
import { contextOfObject, type FrameInfo, uniqueId } from './context-tracker.ts';
import type { DetectableStrings } from './detectable-strings.ts';
import { bringsSource, hideInSource } from './hide-in-source.ts';
import { type ErrorAnswer, OwnCommands } from './own-commands.ts';
import { maxBrowserBytes, maxParsedBytes, parseMessage } from './parse-message.ts';
import { PendingWorlds } from './pending-worlds.ts';
import type { Room } from './room.ts';
import { newDocument, UncaughtErrors } from './uncaught-errors.ts';
import { WorldNames } from './world-names.ts';

/** Where messages go besides those that pass through the session. */
export interface StealthWire {
  toBrowser(message: string): void;
  toClient(message: string): void;
}

type Params = Record<string, unknown>;
interface ClientMessage {
  id: number;
  method: string;
  params: Params;
}

/**
 * - off: the client has not enabled the Runtime domain;
 * - starting: it has, and waits for the answer;
 * - page: it has, for a page or a frame;
 * - worker: it has, for a worker, which has one context.
 */
type RuntimeState = 'off' | 'starting' | 'page' | 'worker';

/** What a client may leave unanswered. */
const maxWaiting = 1000;

/** Only the start of a message is searched for its method: clients write it before its parameters. */
const searchedBytes = 300;
const methodPattern = /"((?:Runtime|Page|Console|Target)\.\w+)"/;

const [keyAt, numberAt] = ['{"'.length, '{"id":'.length];
const [letterI, minus] = ['i'.charCodeAt(0), '-'.charCodeAt(0)];
const maxNumberBytes = 12;
const eventPattern = /^\{"method":"(Page|Runtime|Console|Inspector)\.(\w+)"/;
const eventBytes = 80;

const notFlat =
  'A session with stealth needs flat CDP sessions: attach with flatten=true, and send messages with their sessionId.';

/**
 * One CDP session of a client in a session with `stealth`. Chromium's Runtime domain is never enabled, because a page
 * notices that: Chromium reads what the page writes to its console. What the domain would tell the client is told here:
 * its execution contexts, which are found by other commands, and uncaught errors.
 */
export class StealthSession {
  readonly #cdpSessionId: string;
  readonly #strings: DetectableStrings;
  readonly #wire: StealthWire;
  readonly #names = new WorldNames();
  readonly #commands: OwnCommands;
  readonly #contexts: ContextFinder;
  readonly #console: ClientConsole;
  readonly #bindings: ClientBindings;
  readonly #errors: UncaughtErrors;
  readonly #creating: PendingWorlds;
  /** The client's commands that enable the Runtime domain and are not answered yet. */
  #enabling: number[] = [];
  #runtime: RuntimeState = 'off';
  /** Whether the host has ever enabled what it needs, which stays so. */
  #hasStarted = false;
  readonly #domains = new ClientDomains();

  constructor(cdpSessionId: string, strings: DetectableStrings, wire: StealthWire, room: Room) {
    this.#cdpSessionId = cdpSessionId;
    this.#strings = strings;
    this.#wire = wire;
    const send = (message: object) => wire.toBrowser(JSON.stringify({ ...message, sessionId: cdpSessionId }));
    this.#commands = new OwnCommands(send, room);
    this.#contexts = new ContextFinder(this.#commands, this.#names, room, this.#listener);
    this.#console = new ClientConsole((method, params) => this.#emit(method, params), room);
    this.#bindings = new ClientBindings(this.#commands, strings, room);
    this.#errors = new UncaughtErrors(this.#commands);
    this.#creating = new PendingWorlds(room);
  }

  fromClient(message: Buffer): Replacement {
    const [, method] = methodPattern.exec(message.toString('latin1', 0, searchedBytes)) ?? [];
    if (method === undefined) return undefined;
    if (bringsSource(method)) return hideInSource(message, method, this.#strings);
    const handle = this.#methods[method];
    if (!handle) return undefined;
    if (message.length > maxParsedBytes) return method === newDocument ? this.#strings.hide(message) : null;
    const parsed = parseMessage<Partial<ClientMessage>>(message, maxParsedBytes);
    // What is no command never reaches the browser, which might read it as one.
    if (typeof parsed?.id !== 'number') return null;
    if (parsed.method !== method) return undefined;
    const params = handle({ ...parsed.params }, parsed.id);
    if (!params) return params;
    const changed = Buffer.from(JSON.stringify({ ...parsed, params }));
    return this.#strings.hide(changed) ?? changed;
  }

  fromBrowser(bytes: Buffer, start: number, end: number): Replacement {
    if (bytes[start + keyAt] === letterI) return this.#onAnswer(bytes, start, end);
    const head = bytes.toString('latin1', start, Math.min(start + eventBytes, end));
    const [, domain, name] = eventPattern.exec(head) ?? [];
    if (domain === undefined) return undefined;
    if (name === 'bindingCalled') return this.#onBindingCalled(bytes.subarray(start, end));
    const handle = this.#runtime === 'off' ? undefined : this.#events[`${domain}.${name}`];
    const event = handle && parseMessage<{ params: Params }>(bytes.subarray(start, end), maxBrowserBytes);
    if (event) handle?.(event.params);
    else if (handle && domain === 'Console') this.#console.written(tooLong(end - start));
    return !this.#hasStarted || this.#domains.sends(domain, String(name)) ? undefined : null;
  }

  /** Hears of execution contexts. */
  readonly #listener: ContextListener = {
    emit: (method, params) => this.#emit(method, params),
    onDocument: () => {
      this.#errors.addBinding();
      this.#bindings.addAgain();
    },
    onTold: (contextId) => {
      for (const event of this.#bindings.takeHeld(contextId)) this.#wire.toClient(event.toString());
    },
    onCleared: () => {
      this.#console.cleared();
      this.#bindings.dropHeld();
    },
    onMainContext: (contextId, isPage) => {
      this.#console.found(contextId);
      // In the first document that the client opens: before, its user does not listen yet.
      if (isPage && this.#enabling.length === 0) this.#console.notice(contextId);
    },
  };

  /** Each returns parameters to send in place of the client's, undefined to send those, or null to send nothing. */
  readonly #methods: Readonly<Record<string, (params: Params, id: number) => Params | null | undefined>> = {
    'Runtime.enable': (_params, id) => this.#enable(id),
    'Runtime.disable': (_params, id) => {
      this.#runtime = 'off';
      this.#contexts.stop();
      this.#bindings.removeAll();
      this.#answerEnable({ result: {} });
      return this.#answer(id, { result: {} });
    },
    'Page.enable': () => void this.#domains.set('Page', true),
    'Page.disable': (_params, id) => this.#disableDomain('Page', id),
    'Console.enable': () => void this.#domains.set('Console', true),
    'Console.disable': (_params, id) => this.#disableDomain('Console', id),
    'Page.createIsolatedWorld': (params, id) => {
      const { frameId, worldName: world } = params;
      if (typeof frameId !== 'string' || typeof world !== 'string') return undefined;
      this.#creating.add(id, { frameId, world });
      return { ...params, worldName: this.#names.hidden(world) };
    },
    [newDocument]: (params) => {
      const { worldName: world } = params;
      if (typeof world !== 'string' || world === '') return params;
      this.#contexts.addWorld(world);
      return { ...params, worldName: this.#names.hidden(world) };
    },
    'Runtime.addBinding': (params) => {
      const { name, executionContextName: world, executionContextId } = params;
      if (typeof name !== 'string') return undefined;
      if (executionContextId !== undefined) return { ...params, name: this.#strings.bindingName(name) };
      const hiddenWorld = typeof world === 'string' ? this.#names.hidden(world) : undefined;
      const hidden = { name: this.#bindings.add(name, hiddenWorld) };
      return hiddenWorld === undefined ? hidden : { ...hidden, executionContextName: hiddenWorld };
    },
    'Runtime.removeBinding': (params) => ({ name: this.#bindings.remove(String(params['name'])) }),
    'Target.sendMessageToTarget': (_params, id) =>
      this.#answer(id, { error: { code: -32000, message: notFlat } }),
  };

  readonly #events: Readonly<Record<string, (params: Params) => void>> = {
    'Page.frameNavigated': ({ frame, type }) => {
      if (this.#runtime === 'page') this.#contexts.navigated(frame as FrameInfo, String(type));
    },
    'Page.frameAttached': ({ frameId, parentFrameId }) => {
      if (this.#runtime === 'page') this.#contexts.attached(String(frameId), String(parentFrameId));
    },
    'Page.frameRequestedNavigation': ({ frameId }) => this.#contexts.navigates(String(frameId)),
    'Page.frameStartedLoading': ({ frameId }) => this.#contexts.navigates(String(frameId)),
    'Console.messageAdded': ({ message }) => this.#console.written(message as ConsoleMessage),
    'Page.frameDetached': ({ frameId }) => this.#contexts.detached(String(frameId)),
    // A service worker that had stopped has started again.
    'Inspector.targetReloadedAfterCrash': () => {
      if (this.#runtime !== 'worker') return;
      this.#console.cleared();
      this.#emit('Runtime.executionContextsCleared', {});
      this.#startWorker();
    },
  };

  #disableDomain(domain: 'Page' | 'Console', id: number): null | undefined {
    this.#domains.set(domain, false);
    return !this.#hasStarted ? undefined : this.#answer(id, { result: {} });
  }

  #enable(id: number): null {
    if (this.#runtime === 'page' || this.#runtime === 'worker') return this.#answer(id, { result: {} });
    if (this.#enabling.length < maxWaiting) this.#enabling.push(id);
    if (this.#runtime === 'starting') return null;
    this.#runtime = 'starting';
    this.#hasStarted = true;
    this.#commands.call('Page.enable', {});
    this.#commands.call('Page.getFrameTree', undefined, (result) => {
      if (this.#runtime !== 'starting') return;
      if (!result) {
        this.#startWorker();
        return;
      }
      this.#runtime = 'page';
      this.#errors.listenInPages();
      this.#contexts.start(result.frameTree, () => {
        this.#answerEnable({ result: {} });
        this.#commands.call('Console.enable', undefined);
      });
    });
    return null;
  }

  #startWorker(): void {
    this.#errors.listenInWorker();
    this.#bindings.addAgain();
    this.#commands.call('Runtime.evaluate', { expression: 'globalThis' }, (result, error) => {
      if (this.#runtime === 'off') return;
      const id = contextOfObject(result?.result.objectId);
      this.#runtime = id === undefined ? 'off' : 'worker';
      if (id !== undefined) {
        const context = { id, origin: '', name: '', uniqueId: uniqueId(id) };
        this.#emit('Runtime.executionContextCreated', { context });
        this.#console.found(id);
        this.#commands.call('Console.enable', undefined);
      }
      this.#answerEnable(error ?? { result: {} });
    });
  }

  #onBindingCalled(event: Buffer): Replacement {
    const name = calledBinding(event);
    if (name === undefined) return undefined;
    if (name !== this.#errors.binding) return this.#passBindingCalled(event, name);
    const { payload } = parseMessage<{ params: Params }>(event, maxBrowserBytes)?.params ?? {};
    const thrown = this.#errors.reported(payload);
    if (thrown && this.#runtime !== 'off') this.#emit('Runtime.exceptionThrown', thrown);
    return null;
  }

  #passBindingCalled(event: Buffer, name: string): Replacement {
    const renamed = this.#bindings.renamed(event, name);
    if (this.#runtime !== 'page') return renamed;
    const contextId = calledContext(event);
    if (contextId === undefined || this.#contexts.isTold(contextId)) return renamed;
    this.#bindings.hold(renamed ?? Buffer.from(event), contextId);
    return null;
  }

  #onAnswer(bytes: Buffer, start: number, end: number): null | undefined {
    const isOwn = bytes[start + numberAt] === minus;
    if (!isOwn && this.#creating.isEmpty) return undefined;
    const number = bytes.toString('latin1', start + numberAt, start + numberAt + maxNumberBytes);
    const id = Number.parseInt(number, 10);
    if (isOwn) {
      this.#commands.answered(id, parseMessage(bytes.subarray(start, end), maxBrowserBytes) ?? {});
      return null;
    }
    const creating = this.#creating.take(id);
    if (!creating) return undefined;
    const { result } = parseMessage<{ result?: Params }>(bytes.subarray(start, end), maxBrowserBytes) ?? {};
    const contextId = result?.['executionContextId'];
    const { frameId, world } = creating;
    if (typeof contextId === 'number') this.#contexts.created(frameId, world, contextId);
    return undefined;
  }

  #answerEnable(answer: { result: object } | ErrorAnswer): void {
    for (const id of this.#enabling.splice(0)) this.#answer(id, answer);
  }

  #answer(id: number, answer: { result: object } | ErrorAnswer): null {
    this.#wire.toClient(JSON.stringify({ id, ...answer, sessionId: this.#cdpSessionId }));
    return null;
  }

  #emit(method: string, params: object): void {
    this.#wire.toClient(JSON.stringify({ method, params, sessionId: this.#cdpSessionId }));
  }
}
