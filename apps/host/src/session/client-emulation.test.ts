import { describe, expect, test } from 'vitest';
import { expectLinear } from '../../../../tests/fixtures/suite/cost.ts';
import type { AppliedProfile } from '../profile/applied-profile.ts';
import { attachedTarget, ScriptedBrowser } from '../testing/scripted-browser.ts';
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
  readonly browser = new ScriptedBrowser();
  readonly targets = this.browser.targets;
  readonly emulation = new ClientEmulation(this.applied, this.targets);

  constructor() {
    this.targets.clients.connected(1, 'root', undefined);
  }

  attach(sessionId: string, targetId: string, isStopped = false, type = 'worker'): void {
    this.targets.clients.attached(1, attachedTarget({ sessionId, targetId, isStopped, type }), 'root');
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
    noted.targets.clientsDetached(['A', 'B']);
    expect(noted.heard('restore')).toEqual([
      ['restore', 'page', new Set(['Emulation.setTouchEmulationEnabled'])],
    ]);
    noted.targets.clientsDetached(['C']);
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
    noted.targets.clientsDetached(['A']);
    expect(noted.heard('passed')).toHaveLength(1000);
    expect(noted.heard('restore')).toEqual([]);
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
      noted.targets.clientsDetached(ids);
      for (let i = 0; i < 150; i++) noted.targets.clients.keepsStopped(`target ${i}`, 'worker');
      noted.told.length = 0;
    },
    { from: 1000, to: 16_000 },
  );
});
