import { describe, expect, test } from 'vitest';
import { expectLinear } from '../../../../tests/fixtures/suite/cost.ts';
import type { AppliedProfile } from '../profile/applied-profile.ts';
import { ClientEmulation } from './client-emulation.ts';

/** A profile that only notes what it is told. */
class Noted {
  readonly told: unknown[][] = [];
  readonly applied = new Proxy({} as AppliedProfile, {
    get:
      (_target, name) =>
      (...args: unknown[]) =>
        void this.told.push([name, ...args]),
  });
  readonly emulation = new ClientEmulation(this.applied);

  attach(sessionId: string, targetId: string, waitingForDebugger = false, type = 'worker'): void {
    this.emulation.attached({ sessionId, targetInfo: { targetId, type }, waitingForDebugger });
  }

  send(sessionId: string, method: string): void {
    this.emulation.sends(sessionId, Buffer.from(`{"id":1,"method":"${method}","params":{}}`), () =>
      this.told.push(['passed', method]),
    );
  }

  heard(name: string): unknown[][] {
    return this.told.filter(([told]) => told === name);
  }
}

const names = (count: number, prefix: string) => Array.from({ length: count }, (_, i) => `${prefix}${i}`);

describe('what clients have set', () => {
  test('is restored once for each target when a client goes, unless another has set it', () => {
    const noted = new Noted();
    for (const id of ['A', 'B', 'C']) noted.attach(id, 'page');
    for (const id of ['A', 'B', 'C']) noted.send(id, 'Emulation.setUserAgentOverride');
    noted.send('A', 'Emulation.setTouchEmulationEnabled');
    noted.emulation.detached(['A', 'B']);
    expect(noted.heard('restore')).toEqual([
      ['restore', 'page', new Set(['Emulation.setTouchEmulationEnabled'])],
    ]);
    noted.emulation.detached(['C']);
    expect(noted.heard('restore')[1]).toEqual([
      'restore',
      'page',
      new Set(['Emulation.setUserAgentOverride']),
    ]);
  });

  test('is kept of overrides that the profile has, and of no other names', () => {
    const noted = new Noted();
    noted.attach('A', 'page');
    for (const name of names(1000, 'Emulation.setMadeUp')) noted.send('A', name);
    noted.emulation.detached(['A']);
    expect(noted.heard('passed')).toHaveLength(1000);
    expect(noted.heard('restore')).toEqual([]);
  });
});

describe('stopped targets', () => {
  test('are kept stopped until the last client that keeps them so lets go', () => {
    const noted = new Noted();
    noted.attach('A', 'worker', true);
    noted.attach('B', 'worker', true);
    noted.attach('T', 'tab', true, 'tab');
    noted.emulation.detached(['A']);
    expect(noted.emulation.keepsStopped('worker', 'worker')).toBe(true);
    noted.emulation.detached(['B']);
    expect(noted.emulation.keepsStopped('worker', 'worker')).toBe(false);
    expect(noted.emulation.keepsStopped('any', 'page')).toBe(true);
    noted.emulation.detached(['T']);
    expect(noted.emulation.keepsStopped('any', 'page')).toBe(false);
    expect(noted.heard('clientReleased').map(([, , wasLastTab]) => wasLastTab)).toEqual([false, false, true]);
  });

  test("run with the client's command first, so that it is answered before they do anything", () => {
    const noted = new Noted();
    noted.attach('A', 'popup', true, 'page');
    noted.send('A', 'Runtime.runIfWaitingForDebugger');
    expect(noted.told.map(([name]) => name).slice(1)).toEqual(['passed', 'resume', 'clientReleased']);
  });
});

test('a client that goes costs as much as it had, not as much as all have', async () => {
  const noted = new Noted();
  for (const id of names(8000, 'other')) {
    noted.attach(id, `target ${id}`, true);
    noted.send(id, 'Emulation.setUserAgentOverride');
  }
  noted.told.length = 0;
  await expectLinear(
    (count) => names(count, 'S'),
    (ids) => {
      for (const [i, id] of ids.entries()) {
        noted.attach(id, `target ${i % 150}`, true);
        noted.send(id, 'Emulation.setDeviceMetricsOverride');
      }
      noted.emulation.detached(ids);
      for (let i = 0; i < 150; i++) noted.emulation.keepsStopped(`target ${i}`, 'worker');
      noted.told.length = 0;
    },
    { from: 1000, to: 16_000 },
  );
});
