import { expect, test } from 'vitest';
import { LoginGuard } from './login-guard.ts';

function guardAt(): {
  guard: LoginGuard;
  advance(ms: number): void;
  guess(user: string, from: string): boolean;
} {
  let now = 0;
  const guard = new LoginGuard(() => now);
  return {
    guard,
    advance: (ms) => {
      now += ms;
    },
    guess(user, from) {
      try {
        guard.check(user, from);
      } catch {
        return false;
      }
      guard.guessed(user, from);
      return true;
    },
  };
}

test('ten guesses at a user from one address are free, and then each one doubles the wait', () => {
  const { guess, advance } = guardAt();
  for (let i = 0; i < 11; i++) expect(guess('ann', '192.0.2.1')).toBe(true);
  for (const waitMs of [1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000]) {
    advance(waitMs - 1);
    expect(guess('ann', '192.0.2.1')).toBe(false);
    advance(1);
    expect(guess('ann', '192.0.2.1')).toBe(true);
  }
});

test('an owner is heard from another address, and another user from the same', () => {
  const { guess, guard } = guardAt();
  for (let i = 0; i < 20; i++) guess('ann', '192.0.2.1');
  expect(() => guard.check('ann', '192.0.2.1')).toThrow(/too many wrong logins/);
  guard.check('ann', '192.0.2.2');
  guard.check('bob', '192.0.2.1');
});

test('an address that tries many users waits, too', () => {
  const { guess, guard } = guardAt();
  for (let i = 0; i < 101; i++) expect(guess(`user${i}`, '192.0.2.1')).toBe(true);
  expect(() => guard.check('ann', '192.0.2.1')).toThrow(/too many wrong logins/);
});

test('a user who is guessed at from many addresses costs each of them a wait after one guess', () => {
  const { guess, guard } = guardAt();
  for (let i = 0; i < 100; i++) guess('ann', `198.51.100.${i}`);
  guard.check('ann', '192.0.2.1');
  expect(guess('ann', '192.0.2.1')).toBe(true);
  expect(guess('ann', '192.0.2.1')).toBe(false);
  guard.check('ann', '192.0.2.2');
});

test('a right password is no guess, and failures are forgotten after a quarter of an hour', () => {
  const { guess, guard, advance } = guardAt();
  for (let i = 0; i < 1000; i++) {
    expect(guess('ann', '192.0.2.1')).toBe(true);
    guard.takeBack('ann', '192.0.2.1');
  }
  for (let i = 0; i < 12; i++) guess('ann', '192.0.2.1');
  advance(900_000);
  for (let i = 0; i < 11; i++) expect(guess('ann', '192.0.2.1')).toBe(true);
});
