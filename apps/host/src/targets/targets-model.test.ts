import fc from 'fast-check';
import { expect, test } from 'vitest';
import { attachedTarget, ScriptedBrowser } from '../testing/scripted-browser.ts';

const types = ['page', 'page', 'iframe', 'worker', 'service_worker', 'service_worker', 'worklet', 'tab'];
const clientIds = [1, 2];

interface HostSession {
  targetId: string;
  isFirst: boolean;
}

interface ClientSession {
  clientId: number;
  targetId: string;
  type: string;
  keeps: boolean;
}

/** What browser and clients have said, in plain lists. */
class Model {
  readonly host = new Map<string, HostSession>();
  readonly clients = new Map<string, ClientSession>();
  readonly connected = new Set<number>();

  first(targetId: string): string | undefined {
    return [...this.host].find(([, one]) => one.targetId === targetId && one.isFirst)?.[0];
  }

  isKept(targetId: string, type: string): boolean {
    const keepers = [...this.clients.values()].filter(({ keeps }) => keeps);
    return keepers.some((one) => one.targetId === targetId || (type === 'page' && one.type === 'tab'));
  }

  ofClient(clientId: number): string[] {
    return [...this.clients].filter(([, one]) => one.clientId === clientId).map(([id]) => id);
  }
}

type Step = (world: World) => void | Promise<void>;

class World {
  readonly browser = new ScriptedBrowser();
  readonly model = new Model();
  #ids = 0;

  get targets() {
    return this.browser.targets;
  }

  hostAttaches(n: number, isStopped: boolean): void {
    const [targetId, type] = target(n);
    const sessionId = `H${++this.#ids}`;
    const isFirst = type !== 'worklet' && type !== 'tab' && this.model.first(targetId) === undefined;
    this.browser.attach({ targetId, type, sessionId, isStopped });
    if (isFirst || isStopped) this.model.host.set(sessionId, { targetId, isFirst });
  }

  hostDetaches(n: number): void {
    const sessionId = pick([...this.model.host.keys()], n);
    if (sessionId === undefined) return;
    this.browser.detach(sessionId);
    this.model.host.delete(sessionId);
  }

  connects(clientId: number): void {
    if (this.model.connected.has(clientId)) return;
    this.model.connected.add(clientId);
    this.targets.clients.connected(clientId, `R${clientId}`, undefined);
  }

  disconnects(clientId: number): void {
    if (!this.model.connected.delete(clientId)) return;
    const gone = this.targets.clients.disconnected(clientId, `R${clientId}`);
    expect([...gone]).toEqual(this.model.ofClient(clientId));
    this.targets.clientsDetached([...gone, `R${clientId}`]);
    for (const id of gone) this.model.clients.delete(id);
  }

  clientAttaches(clientId: number, n: number, isStopped: boolean): void {
    const [targetId, type] = target(n);
    const sessionId = `C${++this.#ids}`;
    const attached = attachedTarget({ targetId, type, sessionId, isStopped });
    this.targets.clients.attached(clientId, attached, `R${clientId}`);
    if (!this.model.connected.has(clientId)) return;
    this.model.clients.set(sessionId, { clientId, targetId, type, keeps: isStopped });
  }

  clientDetaches(n: number): void {
    const sessionId = pick([...this.model.clients.keys()], n);
    if (sessionId === undefined) return;
    this.targets.clientsDetached([sessionId]);
    this.model.clients.delete(sessionId);
  }

  clientResumes(n: number): void {
    const sessionId = pick([...this.model.clients.keys()], n);
    const session = sessionId === undefined ? undefined : this.targets.clients.get(sessionId);
    const known = sessionId === undefined ? undefined : this.model.clients.get(sessionId);
    if (!session || !known) return;
    this.targets.clientResumes(session, () => {});
    known.keeps = false;
  }

  closes(n: number): void {
    this.targets.clientCloses(target(n)[0]);
  }

  restarts(n: number): void {
    const [targetId, type] = target(n);
    const state = this.targets.get(targetId)?.state;
    const sessionId = this.model.first(targetId);
    if (sessionId === undefined) return;
    this.browser.say('Inspector.targetReloadedAfterCrash', {}, sessionId);
    if (type !== 'service_worker' || state === 'left') return;
    for (const one of this.model.clients.values()) if (one.targetId === targetId) one.keeps = true;
  }

  /** Lets the browser answer, and compares what the registry knows with what was said. */
  async check(): Promise<void> {
    for (let i = 0; i < 4; i++) await new Promise((resolve) => setImmediate(resolve));
    const { targets, model } = this;
    for (const n of types.keys()) this.#checkTarget(...target(n));
    for (const clientId of clientIds)
      expect(targets.clients.countOf(clientId)).toBe(model.ofClient(clientId).length);
    expect(targets.clients.count).toBe(model.clients.size);
    expect(targets.size.sessions).toBe(model.host.size);
  }

  #checkTarget(targetId: string, type: string): void {
    const { targets, model, browser } = this;
    const found = targets.get(targetId);
    const sessionId = model.first(targetId);
    expect(found?.cdpSessionId).toBe(sessionId);
    const isKept = model.isKept(targetId, type);
    expect(targets.clients.keepsStopped(targetId, type)).toBe(isKept);
    const isAttached = [...model.clients.values()].some((one) => one.targetId === targetId);
    expect(targets.clients.isAttached(targetId)).toBe(isAttached);
    if (!found || sessionId === undefined) return;
    expect(targets.ofSession(sessionId)).toBe(found);
    // Whatever happened: what no client keeps stopped runs, and the host stays with no worker that nobody needs.
    if (!isKept) expect(found.state).not.toBe('stopped');
    if (found.state === 'over') expect(isAttached).toBe(true);
    const left = browser.sent.filter(
      ({ method, params }) =>
        method === 'Target.detachFromTarget' && 'sessionId' in params && params.sessionId === sessionId,
    );
    expect(left).toHaveLength(found.state === 'left' ? 1 : 0);
  }
}

const target = (n: number): [string, string] => [`T${n}`, types[n] as string];

function pick<T>(list: readonly T[], n: number): T | undefined {
  return list[n % Math.max(1, list.length)];
}

const targetNumber = fc.nat(types.length - 1);
const clientId = fc.constantFrom(...clientIds);
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.tuple(targetNumber, fc.boolean()).map(
    ([n, isStopped]): Step =>
      (world) =>
        world.hostAttaches(n, isStopped),
  ),
  fc.nat(20).map(
    (n): Step =>
      (world) =>
        world.hostDetaches(n),
  ),
  clientId.map(
    (id): Step =>
      (world) =>
        world.connects(id),
  ),
  clientId.map(
    (id): Step =>
      (world) =>
        world.disconnects(id),
  ),
  ...[1, 2].map(() =>
    fc.tuple(clientId, targetNumber, fc.boolean()).map(
      ([id, n, isStopped]): Step =>
        (world) =>
          world.clientAttaches(id, n, isStopped),
    ),
  ),
  fc.nat(20).map(
    (n): Step =>
      (world) =>
        world.clientDetaches(n),
  ),
  fc.nat(20).map(
    (n): Step =>
      (world) =>
        world.clientResumes(n),
  ),
  targetNumber.map(
    (n): Step =>
      (world) =>
        world.closes(n),
  ),
  targetNumber.map(
    (n): Step =>
      (world) =>
        world.restarts(n),
  ),
  fc.constant<Step>((world) => world.check()),
);

test('whatever browser and clients do, what the registry knows is what was said, and nothing of it is left', async () => {
  const steps = fc.array(step, { minLength: 20, maxLength: 80, size: 'max' });
  await fc.assert(
    fc.asyncProperty(steps, fc.boolean(), async (all, doClientsGoFirst) => {
      const world = new World();
      for (const id of clientIds) world.connects(id);
      for (const one of all) await one(world);
      await world.check();
      if (doClientsGoFirst) for (const id of clientIds) world.disconnects(id);
      while (world.model.host.size > 0) world.hostDetaches(0);
      expect(world.targets.size.stopped).toBe(0);
      for (const id of clientIds) world.disconnects(id);
      await world.check();
      expect(world.targets.size).toEqual({ targets: 0, sessions: 0, stopped: 0, clients: 0 });
    }),
    { numRuns: 200 },
  );
});
