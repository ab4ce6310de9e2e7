import { expect, test } from 'vitest';
import { ExclusiveOverrides } from './exclusive-overrides.ts';
import type { ExclusiveMethod } from './overrides.ts';

const method = 'Emulation.setLocaleOverride';
const turn = () => new Promise((resolve) => setImmediate(resolve));

/** Renderers as Chromium has them: the first target that sets an override has it for all. */
class Renderers {
  readonly owners = new Map<string, string>();
  sent = 0;
  readonly overrides = new ExclusiveOverrides<string>(
    async (target, [name, params]) => {
      this.sent += 1;
      if (name !== method) return true;
      const renderer = String(target.split(' ')[0]);
      const owner = this.owners.get(renderer);
      if (owner !== undefined && owner !== target) return false;
      if ('locale' in params) this.owners.set(renderer, target);
      else this.owners.delete(renderer);
      return true;
    },
    (name: ExclusiveMethod) => [name, { locale: 'de' }] as never,
  );

  async add(...targets: string[]): Promise<void> {
    for (const target of targets) await this.overrides.set(target, method);
  }

  close(target: string): void {
    const renderer = String(target.split(' ')[0]);
    if (this.owners.get(renderer) === target) this.owners.delete(renderer);
    this.overrides.detached(target);
  }
}

test('another target of the renderer takes the place of one that has gone', async () => {
  const renderers = new Renderers();
  await renderers.add('a 1', 'a 2', 'b 1', 'b 2', 'a 3');
  renderers.close('a 1');
  for (let i = 0; i < 10; i++) await turn();
  expect([...renderers.owners]).toEqual([
    ['b', 'b 1'],
    ['a', 'a 2'],
  ]);
  renderers.close('b 2');
  const { sent } = renderers;
  for (let i = 0; i < 10; i++) await turn();
  expect(renderers.sent).toBe(sent);
});

test('a client can set its own, and others keep theirs', async () => {
  const renderers = new Renderers();
  await renderers.add('a 1', 'a 2', 'b 1');
  renderers.overrides.clear(method);
  renderers.owners.set('a', 'the client');
  renderers.overrides.restoreCleared(method, (target) => target === 'a 2');
  await turn();
  expect([...renderers.owners]).toEqual([
    ['a', 'the client'],
    ['b', 'b 1'],
  ]);
});

test('what is sent for targets that come and go grows with their number', async () => {
  const renderers = new Renderers();
  const targets = Array.from({ length: 400 }, (_, i) => `a ${i}`);
  await renderers.add(...targets);
  for (let i = 0; i < 100; i++) {
    renderers.overrides.clear(method);
    renderers.overrides.restoreCleared(method, () => false);
    await turn();
  }
  for (const target of targets) {
    renderers.close(target);
    await turn();
  }
  expect(renderers.sent).toBeLessThan(400 + 2 * 100 + 10 * 400);
});
