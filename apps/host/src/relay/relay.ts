import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import type { Browser, ClientSessionListener } from '../chromium/browser.ts';
import type { Params } from '../chromium/protocol.ts';
import type { ClientStream } from '../switchboard/client-stream.ts';
import { concernsHost } from '../switchboard/concerns-host.ts';
import { maxClientCdpSessions } from '../switchboard/refusals.ts';
import type { AttachedTarget } from '../switchboard/targets.ts';
import type { Targets } from '../targets/targets.ts';
import { Client } from './client.ts';
import {
  answerSessionMessage,
  type ContextMethod,
  changeSessionMessage,
  type HostRoute,
  routeMessage,
  type WatcherMethod,
} from './client-message.ts';
import { ClientPresence } from './client-presence.ts';

/** Each client costs the host a descriptor and memory. */
const maxClients = 128;

/** More than clients have: one or two for each tab, frame and worker. Each costs memory, here and in the browser. */
const maxCdpSessions = 8000;

/** A client does not wait longer than this for a browser that is stopped or overloaded. */
const attachTimeoutMs = 10_000;

/** The session has as many connections as it may have. */
export class TooManyClients extends Error {}

/** A worker speaks CDP for the clients of another protocol. */
export type ConnectedAs = 'client' | 'worker';

/** Answers a message in place of the browser. Returns false if its id cannot be read. */
export type AnswerMessage = (result: object) => boolean;

/** Hears what clients emulate, and answers in place of the browser where the host has another answer. */
export interface ClientWatcher {
  /** Called before the first message of a client can reach the browser. */
  connecting(): void;
  /** Calls `pass` to send the message on, now or later, and sends before and after it what must go with it. */
  sends(cdpSessionId: string, message: Buffer, pass: () => void, answer?: AnswerMessage): void;
  /** Returns undefined if the browser itself is to answer. */
  answer(method: WatcherMethod, params: object): Promise<object> | undefined;
}

/** Makes and removes contexts that have a proxy of their own. */
export interface ContextKeeper {
  /** Rejects with what the client is told. */
  create(params: object): Promise<{ browserContextId: string }>;
  /** Returns undefined if it is none of these. */
  dispose(browserContextId: string): Promise<object> | undefined;
}

/** Hears who is connected, and what the host answers by itself. */
export interface ClientObserver {
  /** Its CDP session is with the target or, if that is undefined, with the browser. */
  connected(clientId: number, targetId: string | undefined): void;
  disconnected(clientId: number): void;
  detached(cdpSessionIds: Iterable<string>): void;
  answered(clientId: number, text: string): void;
}

export interface RelayOptions {
  watcher: ClientWatcher;
  observer?: ClientObserver | undefined;
  contexts?: ContextKeeper | undefined;
  /** Whether clients may load extensions from the session's files. */
  mayLoadExtensions?: boolean;
}

/**
 * The clients of one browser. Each has a CDP session of its own, with the browser or with one target, which it takes
 * for the whole connection. CDP sessions below that are its own too, and no other client's. Messages to and from these
 * pass on the switchboard; all others come here.
 */
export class Relay implements ClientSessionListener {
  readonly #browser: Browser;
  readonly #targets: Targets;
  readonly #watcher: ClientWatcher;
  readonly #observer: ClientObserver | undefined;
  readonly #contexts: ContextKeeper | undefined;
  readonly #mayLoadExtensions: boolean;
  readonly #clients = new Map<number, Client>();
  /** Clients of every protocol. A worker is none: it speaks for its own clients. */
  readonly presence = new ClientPresence();
  #attaching = 0;
  #isStopped = false;

  constructor(
    browser: Browser,
    targets: Targets,
    { watcher, observer, contexts, mayLoadExtensions = false }: RelayOptions,
  ) {
    this.#browser = browser;
    this.#targets = targets;
    this.#watcher = watcher;
    this.#observer = observer;
    this.#contexts = contexts;
    this.#mayLoadExtensions = mayLoadExtensions;
    browser.tellOfSessions(this);
    targets.on('rootDetached', (clientId) => this.#onRootDetached(clientId));
  }

  /** Returns the id of a new CDP session. */
  async attachToBrowser(): Promise<string> {
    return this.#attach('Target.attachToBrowserTarget', {});
  }

  /** Returns the id of a new CDP session. Rejects when there is no such target. */
  async attachToTarget(targetId: string): Promise<string> {
    return this.#attach('Target.attachToTarget', { targetId, flatten: true });
  }

  async detach(cdpSessionId: string): Promise<void> {
    const params = { sessionId: cdpSessionId };
    await this.#browser.controller.call('Target.detachFromTarget', params).catch(() => {}); // It is gone already.
  }

  /** Gives a client's connection to the switchboard. Throws when the connection is closed. */
  takeConnection(rootCdpSessionId: string, socket: Duplex, head: Buffer): ClientStream {
    this.#watcher.connecting();
    return this.#browser.pipe.connectClient(rootCdpSessionId, socket, head);
  }

  /** Adds a client. Its CDP session is with the target or, if that is undefined, with the browser. */
  connect(
    rootCdpSessionId: string,
    targetId: string | undefined,
    webSocket: WebSocket,
    stream: ClientStream,
    connectedAs: ConnectedAs,
  ): void {
    const client = new Client(rootCdpSessionId, webSocket, stream);
    this.#clients.set(stream.clientId, client);
    if (connectedAs === 'client') this.presence.connected();
    this.#observer?.connected(stream.clientId, targetId);
    this.#targets.clients.connected(stream.clientId, rootCdpSessionId, targetId);
    stream.listenWith({
      onMessage: (message, cdpSessionId) => this.#onMessage(client, message, cdpSessionId),
      onRefused: (refusal, canBeTold) => {
        client.refuse(refusal, canBeTold);
        void this.detach(rootCdpSessionId);
      },
    });
    webSocket.on('error', () => {}); // A close follows.
    webSocket.on('close', () => {
      this.#onDisconnected(client);
      if (connectedAs === 'client') this.presence.disconnected();
    });
  }

  /** Sends nothing to the browser any more. Clients stay until they are told why. */
  stop(): void {
    this.#isStopped = true;
    this.#browser.pipe.mute();
  }

  async close(code: number, reason: string): Promise<void> {
    this.stop();
    await Promise.all(Array.from(this.#clients.values(), (client) => client.close(code, reason)));
  }

  /** Counts messages, both ways. */
  get traffic(): number {
    return this.#browser.pipe.messages;
  }

  attached(clientId: number, target: AttachedTarget, parent: string): void {
    this.#targets.clients.attached(clientId, target, parent);
    this.#browser.pipe.release(target.sessionId);
  }

  detached(_clientId: number, cdpSessionId: string): void {
    this.#targets.clientsDetached([cdpSessionId]);
    this.#observer?.detached([cdpSessionId]);
  }

  async #attach<M extends 'Target.attachToBrowserTarget' | 'Target.attachToTarget'>(
    method: M,
    params: Params<M>,
  ): Promise<string> {
    if (this.#clients.size + this.#attaching >= maxClients) throw new TooManyClients();
    this.#attaching += 1;
    try {
      const { sessionId } = await this.#browser.controller.call(method, params, {
        timeoutMs: attachTimeoutMs,
        undo: (late) => void this.detach(late.sessionId),
      });
      return sessionId;
    } finally {
      this.#attaching -= 1;
    }
  }

  /** `cdpSessionId` is set if the message is for one of the client's own CDP sessions. */
  #onMessage(client: Client, message: Buffer, cdpSessionId: string | undefined): void {
    if (this.#isStopped) return;
    if (cdpSessionId !== undefined) this.#sendToSession(client, cdpSessionId, message);
    else this.#route(client, message);
  }

  #route(client: Client, message: Buffer): void {
    const route = routeMessage(message, {
      owns: (cdpSessionId) => this.#targets.clients.owns(client.stream.clientId, cdpSessionId),
      mayNotAttach: () => this.#mayNotAttach(client),
      mayLoadExtensions: this.#mayLoadExtensions,
    });
    if (route.to === 'client') this.#tell(client, route.answer);
    else if (route.to === 'host') this.#answer(client, message, route);
    else if (route.to === 'root') {
      this.#sendTo(client.rootCdpSessionId, route.message, route.end);
      if (route.closes !== undefined) this.#targets.clientCloses(route.closes);
    } else if (route.end !== undefined) this.#sendTo(route.cdpSessionId, message, route.end);
    else if (concernsHost(message, 0, message.length)) {
      this.#sendToSession(client, route.cdpSessionId, message);
    } else client.stream.pass(message, route.cdpSessionId);
  }

  /** Says why the client may not have another CDP session; undefined if it may. */
  #mayNotAttach({ stream }: Client): string | undefined {
    const { clients } = this.#targets;
    if (clients.countOf(stream.clientId) >= maxClientCdpSessions)
      return `This connection has ${maxClientCdpSessions} CDP sessions. Detach from some first.`;
    if (clients.count >= maxCdpSessions)
      return `The connections of this session have ${maxCdpSessions} CDP sessions. Detach from some first.`;
    return undefined;
  }

  #sendToSession(client: Client, cdpSessionId: string, message: Buffer): void {
    const changed = changeSessionMessage(message, {
      mayNotAttach: () => this.#mayNotAttach(client),
      mayLoadExtensions: this.#mayLoadExtensions,
    });
    if (changed.to === 'client') {
      this.#tell(client, changed.answer, cdpSessionId);
      return;
    }
    if (changed.to === 'host') {
      this.#answer(client, message, changed);
      return;
    }
    const pass = () => this.#browser.pipe.send(changed.message);
    this.#watcher.sends(cdpSessionId, message, pass, (result) => {
      const answer = answerSessionMessage(message, result);
      if (answer !== undefined) this.#tell(client, answer, cdpSessionId);
      return answer !== undefined;
    });
  }

  /** Sends a message to a CDP session whose id is added to it. */
  #sendTo(cdpSessionId: string, message: Buffer, end: number): void {
    const pass = () => this.#browser.pipe.sendTo(cdpSessionId, message, end);
    this.#watcher.sends(cdpSessionId, message, pass);
  }

  #answer(client: Client, message: Buffer, { id, method, params, sessionId }: HostRoute): void {
    const answer =
      method === 'Target.createBrowserContext' || method === 'Target.disposeBrowserContext'
        ? this.#answerAboutContext(client, method, params)
        : this.#watcher.answer(method, params);
    if (!answer && sessionId === undefined) {
      this.#sendTo(client.rootCdpSessionId, message, message.lastIndexOf('}'));
      return;
    }
    if (!answer) {
      this.#browser.pipe.send(message);
      return;
    }
    const about = { id, ...(sessionId !== undefined && { sessionId }) };
    answer.then(
      (result) => this.#tell(client, JSON.stringify({ ...about, result }), sessionId),
      ({ message }: Error) =>
        this.#tell(client, JSON.stringify({ ...about, error: { code: -32000, message } }), sessionId),
    );
  }

  /** Chromium would count a context as the host's, which makes it. So its end with the client is up to the host. */
  #answerAboutContext(client: Client, method: ContextMethod, params: object): Promise<object> | undefined {
    const { browserContextId, disposeOnDetach } = params as Record<string, unknown>;
    if (method === 'Target.disposeBrowserContext') {
      if (typeof browserContextId !== 'string') return undefined;
      client.contexts.delete(browserContextId);
      return this.#contexts?.dispose(browserContextId);
    }
    if (!this.#contexts) return Promise.reject(new Error('This host has no proxies for contexts'));
    const created = this.#contexts.create(params);
    if (disposeOnDetach !== true) return created;
    return created.then((context) => {
      client.contexts.add(context.browserContextId);
      if (!this.#clients.has(client.stream.clientId)) this.#disposeContexts(client);
      return context;
    });
  }

  #disposeContexts({ contexts }: Client): void {
    for (const browserContextId of contexts) this.#contexts?.dispose(browserContextId)?.catch(() => {}); // The browser is gone.
    contexts.clear();
  }

  /** Answers a client in place of the browser. */
  #tell(client: Client, answer: string, cdpSessionId?: string): void {
    client.answer(answer);
    this.#browser.pipe.answered(cdpSessionId ?? client.rootCdpSessionId);
    this.#observer?.answered(client.stream.clientId, answer);
  }

  /** Closes a page's connection when the page is gone, as Chromium's own endpoint does. */
  #onRootDetached(clientId: number): void {
    const client = this.#clients.get(clientId);
    // A refused client is detached by the host, and still has to read why it was refused.
    if (client && !client.isRefused && !this.#isStopped) void client.close(1000, '');
  }

  #onDisconnected(client: Client): void {
    const { stream, rootCdpSessionId } = client;
    const { clientId } = stream;
    this.#clients.delete(clientId);
    this.#disposeContexts(client);
    const cdpSessionIds = this.#targets.clients.disconnected(clientId, rootCdpSessionId);
    this.#observer?.detached(cdpSessionIds);
    this.#observer?.disconnected(clientId);
    void this.detach(rootCdpSessionId).then(() =>
      this.#targets.clientsDetached([...cdpSessionIds, rootCdpSessionId]),
    );
  }
}
