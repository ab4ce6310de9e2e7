import type { BrowserHost } from '@turnpike/contract/host';
import { leaseMs } from '@turnpike/contract/host/heartbeat';
import { earliestAbilities, hostAbilities } from '@turnpike/contract/host/host-abilities';
import { describe, expect, test } from 'vitest';
import { type Candidate, placementOrder, unableFor } from './placement.ts';

const now = 1_800_000_000_000;

function host(name: string, more: Partial<Candidate> = {}): Candidate {
  return {
    host: { name } as BrowserHost,
    boot: '0',
    region: null,
    seats: 10,
    used: 0,
    seq: 1,
    heartbeat_at: now,
    state: 'live',
    phase: 'up',
    abilities: earliestAbilities,
    ...more,
  };
}

const order = (candidates: Candidate[], region?: string, random?: () => number, asked: string[] = []) =>
  placementOrder(candidates, { region, asked, now }, random).map(({ host: { name } }) => name);

describe('whom a create is offered to', () => {
  test('the least loaded by its share of seats first', () => {
    const candidates = [
      host('half', { used: 5 }),
      host('idle'),
      host('large', { seats: 100, used: 20 }),
      host('nearly full', { used: 9 }),
    ];
    expect(order(candidates)).toEqual(['idle', 'large', 'half', 'nearly full']);
  });

  test('none that is lost, drained, leaving, or has not offered seats yet', () => {
    const candidates = [
      host('lost', { heartbeat_at: now - leaseMs }),
      host('drained', { state: 'draining' }),
      host('leaving', { phase: 'leaving' }),
      host('left', { phase: 'left' }),
      host('out of touch', { seats: 0 }),
    ];
    expect(order(candidates)).toEqual([]);
  });

  test('only those of the region that was asked for; any where none was', () => {
    const candidates = [
      host('eu', { region: 'eu' }),
      host('us', { region: 'us', used: 1 }),
      host('none', { used: 2 }),
    ];
    expect(order(candidates, 'us')).toEqual(['us']);
    expect(order(candidates, 'mars')).toEqual([]);
    expect(order(candidates)).toEqual(['eu', 'us', 'none']);
  });

  test('none that would ignore what was asked for, and it is said what that is', () => {
    const asked = ['headless', 'record', 'max_bytes'];
    const old = host('old');
    const some = host('some', { abilities: [...earliestAbilities, 'max_bytes'] });
    const current = host('current', { abilities: hostAbilities, used: 9 });
    const unable = (candidates: Candidate[]) => unableFor(candidates, { region: undefined, asked, now });
    expect(order([old, some, current], undefined, undefined, asked)).toEqual(['current']);
    expect(order([old, some], undefined, undefined, asked)).toEqual([]);
    expect(unable([old, some, current])).toEqual([]);
    expect(unable([old, some])).toEqual(['record']);
    expect(unable([old])).toEqual(['record', 'max_bytes']);
    expect(unable([{ ...old, state: 'draining' }])).toEqual([]);
  });

  test('full ones last, and few of them', () => {
    const full = Array.from({ length: 10 }, (_, i) => host(`full ${i}`, { used: 10 }));
    const asked = order([...full, host('free', { used: 9 })]);
    expect(asked[0]).toBe('free');
    expect(asked).toHaveLength(4);
  });

  test('chance decides among those that are loaded alike', () => {
    const candidates = [host('a'), host('b'), host('c')];
    const chances = [0.9, 0.1, 0.5];
    expect(order(candidates, undefined, () => chances.shift() ?? 0)).toEqual(['b', 'c', 'a']);
    const firsts = new Set(Array.from({ length: 100 }, () => order(candidates)[0]));
    expect(firsts.size).toBe(3);
  });
});
