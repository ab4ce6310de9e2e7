import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { IdleMemory } from './idle-memory.ts';

const mebibyte = 2 ** 20;

/** A process whose memory and processor time are what the test says. */
function watched(residentMiB: number) {
  const state = { residentMiB, cpuMs: 0, now: 0, given: 0, keepsMiB: residentMiB };
  const memory = new IdleMemory({
    residentBytes: () => state.residentMiB * mebibyte,
    cpuMs: () => state.cpuMs,
    now: () => state.now,
    giveBack: () => {
      state.given += 1;
      state.residentMiB = state.keepsMiB;
    },
  });
  const look = (usedMs: number) => {
    state.now += 5000;
    state.cpuMs += usedMs;
    memory.check();
  };
  return { state, look };
}

test('memory is given back when the process is idle after load, and not while it is busy', () => {
  const { state, look } = watched(120);
  look(20);
  expect(state.given).toBe(0);
  state.residentMiB = 400;
  look(4000);
  look(1000);
  look(200);
  expect(state.given).toBe(0);
  look(20);
  expect([state.given, state.residentMiB]).toEqual([1, 120]);
});

test('what cannot be given back is not asked for again and again', () => {
  const { state, look } = watched(120);
  state.keepsMiB = 200; // Something needs it.
  state.residentMiB = 400;
  for (let i = 0; i < 20; i += 1) look(20);
  expect(state.given).toBe(1);
  state.residentMiB = 300;
  for (let i = 0; i < 20; i += 1) look(20);
  expect([state.given, state.residentMiB]).toEqual([2, 200]);
});

test('a process that is never quite busy is stopped for it twice a minute at most', () => {
  const { state, look } = watched(120);
  for (let i = 0; i < 12; i += 1) {
    state.residentMiB = 400;
    look(20);
  }
  expect(state.given).toBe(2);
});

test('in earnest, the pages that load left are given back to the system', async () => {
  const program = join(import.meta.dirname, '../testing/idle-memory-process.ts');
  const { stdout } = await promisify(execFile)(process.execPath, [program]);
  const { before, loaded, after } = JSON.parse(stdout);
  expect(loaded).toBeGreaterThan(before + 80);
  expect(after).toBeLessThan(before + (loaded - before) / 2);
});
