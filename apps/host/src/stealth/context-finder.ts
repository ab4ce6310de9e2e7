import {
  type ContextDescription,
  ContextTracker,
  contextOfObject,
  type DocumentOf,
  type FrameInfo,
  type FrameTree,
  mainWorld,
  uniqueId,
} from './context-tracker.ts';
import type { OwnCommands } from './own-commands.ts';
import type { Room } from './room.ts';
import { maxNameLength, type WorldNames } from './world-names.ts';

/** More than clients have. Further worlds, and longer names, are not found in new documents. */
const maxWorlds = 64;

export interface ContextListener {
  emit(method: string, params: object): void;
  /** A new document has its first contexts, which lack what the session adds to contexts. */
  onDocument(): void;
  /** The client was told of a context. */
  onTold(contextId: number): void;
  /** The contexts of all frames are gone. */
  onCleared(): void;
  /** The main frame's own world was found. `isPage`: it is a page that is not blank, and no frame elsewhere. */
  onMainContext(contextId: number, isPage: boolean): void;
}

/** Finds the execution contexts of a page or frame, and tells a client of them in the Runtime domain's events. */
export class ContextFinder {
  readonly #commands: OwnCommands;
  readonly #names: WorldNames;
  readonly #listener: ContextListener;
  readonly #tracker: ContextTracker;
  /** Contexts that the client was told of. */
  readonly #told = new Set<number>();
  /** The client's worlds that new documents begin with. */
  readonly #worlds = new Set<string>();

  constructor(commands: OwnCommands, names: WorldNames, room: Room, listener: ContextListener) {
    this.#tracker = new ContextTracker(room);
    this.#commands = commands;
    this.#names = names;
    this.#listener = listener;
  }

  /** Finds the contexts of all these frames. Calls `done` when the main frame's own world is found, or cannot be. */
  start(tree: FrameTree, done: () => void): void {
    this.#tracker.start(tree);
    // Not the client's worlds: it creates them in documents that are there, with rights that it knows.
    for (const frameId of this.#tracker.frameIds) this.#findPageWorld(frameId, done);
  }

  stop(): void {
    this.#tracker.stop();
    this.#told.clear();
  }

  /** Whether the client was told of the context. */
  isTold(contextId: number): boolean {
    return this.#told.has(contextId);
  }

  /** New documents begin with this world of the client. */
  addWorld(name: string): void {
    if (this.#worlds.size < maxWorlds && name.length <= maxNameLength) this.#worlds.add(name);
  }

  /** The browser has created an isolated world for the client. */
  created(frameId: string, world: string, contextId: number): void {
    const of = this.#tracker.documentOf(frameId);
    if (of) this.#found(of, world, contextId);
  }

  navigated(frame: FrameInfo, type: string): void {
    const gone = this.#tracker.navigated(frame);
    if (gone === 'all') {
      this.#told.clear();
      this.#listener.onCleared();
      this.#listener.emit('Runtime.executionContextsCleared', {});
    } else this.#destroyed(gone);
    if (type === 'BackForwardCacheRestore') this.#findRestored();
    else this.#findAll(frame.id);
  }

  /**
   * Most frames navigate at once, and a frame says so before it answers anything. One whose address is a script does not,
   * and keeps its first document.
   */
  attached(frameId: string, parentId: string): void {
    const of = this.#tracker.attached(frameId, parentId);
    if (!of) return;
    this.#commands.call('DOM.getFrameOwner', { frameId }, (owner) => {
      if (owner && this.#tracker.isCurrent(of) && !this.#tracker.isNavigating(frameId))
        this.#findAll(frameId);
    });
  }

  /** The frame is about to have another document. */
  navigates(frameId: string): void {
    this.#tracker.navigates(frameId);
  }

  detached(frameId: string): void {
    this.#destroyed(this.#tracker.detached(frameId));
  }

  /** A page from the back/forward cache has its frames again, without a word about each. */
  #findRestored(): void {
    this.#commands.call('Page.getFrameTree', undefined, (result) => {
      if (!result) return;
      this.#tracker.start(result.frameTree);
      for (const frameId of this.#tracker.frameIds) this.#findAll(frameId);
    });
  }

  #findAll(frameId: string): void {
    this.#listener.onDocument();
    this.#findPageWorld(frameId);
    const of = this.#tracker.documentOf(frameId);
    if (!of) return;
    for (const world of this.#worlds) {
      const params = { frameId, worldName: this.#names.hidden(world) };
      this.#commands.call('Page.createIsolatedWorld', params, (result) => {
        if (result) this.#found(of, world, result.executionContextId);
      });
    }
  }

  #findPageWorld(frameId: string, done?: () => void): void {
    const of = this.#tracker.documentOf(frameId);
    if (!of) return;
    if (frameId !== this.#tracker.rootFrameId) this.#findByElement(of);
    else {
      this.#commands.call('Runtime.evaluate', { expression: 'globalThis' }, (result) => {
        this.#found(of, mainWorld, contextOfObject(result?.result.objectId));
        done?.();
      });
    }
  }

  /** By way of the frame's element: Chromium gives its document as an object of the page's own world. */
  #findByElement(of: DocumentOf): void {
    const { frameId } = of;
    this.#commands.call('DOM.getFrameOwner', { frameId }, (owner) => {
      if (!owner || !this.#tracker.isCurrent(of)) return;
      const { backendNodeId } = owner;
      this.#commands.call('DOM.describeNode', { backendNodeId }, (element) => {
        const document = element?.node.contentDocument;
        if (!document || !this.#tracker.isCurrent(of)) return;
        this.#commands.call('DOM.resolveNode', { backendNodeId: document.backendNodeId }, (result) =>
          this.#found(of, mainWorld, contextOfObject(result?.object.objectId)),
        );
      });
    });
  }

  #found(of: DocumentOf, world: string, contextId: number | undefined): void {
    const context = contextId === undefined ? undefined : this.#tracker.found(of, world, contextId);
    if (!context) return;
    this.#told.add(context.id);
    this.#listener.emit('Runtime.executionContextCreated', { context } satisfies {
      context: ContextDescription;
    });
    this.#listener.onTold(context.id);
    if (world !== mainWorld || of.frameId !== this.#tracker.rootFrameId) return;
    this.#listener.onMainContext(context.id, this.#tracker.isPage(of.frameId));
  }

  #destroyed(contextIds: readonly number[]): void {
    for (const id of contextIds) {
      this.#told.delete(id);
      const params = { executionContextId: id, executionContextUniqueId: uniqueId(id) };
      this.#listener.emit('Runtime.executionContextDestroyed', params);
    }
  }
}
