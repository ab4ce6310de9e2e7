import { objectBytes, type Room } from './room.ts';

/** What DevTools says of a frame (`Page.Frame`), as far as it is used. */
export interface FrameInfo {
  id: string;
  parentId?: string;
  securityOrigin?: string;
}

/** DevTools' `Page.FrameTree`. */
export interface FrameTree {
  frame: FrameInfo;
  childFrames?: FrameTree[];
}

/** An execution context as a client hears of it (`Runtime.ExecutionContextDescription`). */
export interface ContextDescription {
  id: number;
  origin: string;
  name: string;
  uniqueId: string;
  auxData: { isDefault: boolean; type: 'default' | 'isolated'; frameId: string };
}

/** A frame's document. A context belongs to one, and goes with it. */
export interface DocumentOf {
  frameId: string;
  document: number;
}

interface Frame {
  parentId: string | undefined;
  childIds: Set<string>;
  origin: string;
  document: number;
  /** Whether it is about to have another document. */
  isNavigating: boolean;
  /** Ids of known contexts by their worlds' names. The page's own world has an empty name. */
  contexts: Map<string, number>;
}

/** More than pages have. The contexts of further frames are not found. */
const maxFrames = 10_000;
/** More than clients create in a frame. Further ones are not told of. */
const maxContexts = 200;

/** What a frame takes, and what a context. Ids and origins are short. */
const [frameBytes, contextBytes] = [2 * objectBytes, objectBytes];

/** What DevTools says of a document without an origin of its own. */
const noOrigin = '://';

/** The name of the page's own world. */
export const mainWorld = '';

/** The frames of one CDP session of a page, with the execution contexts that a client was told of. */
export class ContextTracker {
  readonly #frames = new Map<string, Frame>();
  readonly #room: Room;
  #rootFrameId: string | undefined;
  #documents = 0;
  #bytes = 0;

  constructor(room: Room) {
    this.#room = room;
  }

  get rootFrameId(): string | undefined {
    return this.#rootFrameId;
  }

  /** Whether the frame is a page's main frame, not a frame of a page elsewhere, and has more than a blank document. */
  isPage(frameId: string): boolean {
    const frame = this.#frames.get(frameId);
    return frame !== undefined && frame.parentId === undefined && frame.origin !== noOrigin;
  }

  /** Ids of all frames, parents first. */
  get frameIds(): string[] {
    return [...this.#frames.keys()];
  }

  /** Starts over with these frames. */
  start(tree: FrameTree): void {
    this.#clear();
    this.#rootFrameId = tree.frame.id;
    const add = ({ frame, childFrames = [] }: FrameTree) => {
      this.#add(frame.id, frame.parentId, frame.securityOrigin);
      for (const child of childFrames) add(child);
    };
    add(tree);
  }

  /** Forgets everything. */
  stop(): void {
    this.#clear();
    this.#rootFrameId = undefined;
  }

  /** Returns the new frame's document; undefined if it is known, or not followed. */
  attached(frameId: string, parentId: string): DocumentOf | undefined {
    if (this.#frames.has(frameId)) return undefined;
    this.#add(frameId, parentId, undefined);
    return this.documentOf(frameId);
  }

  navigates(frameId: string): void {
    const frame = this.#frames.get(frameId);
    if (frame) frame.isNavigating = true;
  }

  isNavigating(frameId: string): boolean {
    return this.#frames.get(frameId)?.isNavigating === true;
  }

  /** Returns the ids of the contexts that are gone; `all`: none of any frame is left. */
  navigated(info: FrameInfo): number[] | 'all' {
    const isRoot = info.id === this.#rootFrameId || info.parentId === undefined;
    if (isRoot) {
      this.#clear();
      this.#rootFrameId = info.id;
    }
    const gone = isRoot ? [] : this.#remove(info.id);
    this.#add(info.id, info.parentId, info.securityOrigin);
    return isRoot ? 'all' : gone;
  }

  /** Returns the ids of the contexts that are gone. */
  detached(frameId: string): number[] {
    return this.#remove(frameId);
  }

  /** Returns the frame's present document; undefined if there is no such frame. */
  documentOf(frameId: string): DocumentOf | undefined {
    const frame = this.#frames.get(frameId);
    return frame && { frameId, document: frame.document };
  }

  isCurrent({ frameId, document }: DocumentOf): boolean {
    return this.#frames.get(frameId)?.document === document;
  }

  /** Returns a description of the context; undefined if it is known, or its document is gone. */
  found(of: DocumentOf, world: string, contextId: number): ContextDescription | undefined {
    const frame = this.#frames.get(of.frameId);
    if (!frame || frame.document !== of.document || frame.contexts.get(world) === contextId) return undefined;
    if (!frame.contexts.has(world)) {
      if (frame.contexts.size >= maxContexts || !this.#take(contextBytes + 2 * world.length))
        return undefined;
    }
    frame.contexts.set(world, contextId);
    const isDefault = world === mainWorld;
    const auxData = { isDefault, type: isDefault ? 'default' : 'isolated', frameId: of.frameId } as const;
    return { id: contextId, origin: frame.origin, name: world, uniqueId: uniqueId(contextId), auxData };
  }

  #add(frameId: string, parentId: string | undefined, ownOrigin = noOrigin): void {
    if (this.#frames.size >= maxFrames || !this.#take(frameBytes)) return;
    const parent = this.#parentOf(parentId);
    parent?.childIds.add(frameId);
    // A blank document and one from an attribute have their parent's.
    const origin = ownOrigin === noOrigin ? (parent?.origin ?? noOrigin) : ownOrigin;
    const document = ++this.#documents;
    const frame = { parentId, childIds: new Set<string>(), origin, document, isNavigating: false };
    this.#frames.set(frameId, { ...frame, contexts: new Map() });
  }

  /** Removes a frame with those in it. Returns the ids of their contexts. */
  #remove(frameId: string): number[] {
    this.#parentOf(this.#frames.get(frameId)?.parentId)?.childIds.delete(frameId);
    const contextIds: number[] = [];
    const removed = [frameId];
    for (const id of removed) {
      const frame = this.#frames.get(id);
      if (!frame) continue;
      this.#frames.delete(id);
      this.#give(frameBytes);
      for (const [world, contextId] of frame.contexts) {
        contextIds.push(contextId);
        this.#give(contextBytes + 2 * world.length);
      }
      removed.push(...frame.childIds);
    }
    return contextIds;
  }

  #clear(): void {
    this.#frames.clear();
    this.#give(this.#bytes);
  }

  #take(bytes: number): boolean {
    if (!this.#room.take(bytes)) return false;
    this.#bytes += bytes;
    return true;
  }

  #give(bytes: number): void {
    this.#bytes -= bytes;
    this.#room.give(bytes);
  }

  #parentOf(parentId: string | undefined): Frame | undefined {
    return parentId === undefined ? undefined : this.#frames.get(parentId);
  }
}

/** An id that leads back to the context's number: commands may name a context by it. */
export const uniqueId = (contextId: number): string => `${contextId}.0`;

/** Reads the context's number from an object's id: the isolate, the context and a number of the object. */
export function contextOfObject(objectId: unknown): number | undefined {
  const [, id] = /^-?\d+\.(\d+)\.\d+$/.exec(typeof objectId === 'string' ? objectId : '') ?? [];
  return id === undefined ? undefined : Number(id);
}
