import { createCipheriv, randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { Sealer } from './sealer.ts';

const [oldKey, newKey] = [randomBytes(32), randomBytes(32)];

/** As versions before this one sealed: no key id, texts bound to nothing. */
function sealedBefore(key: Buffer, text: string, place = ''): Buffer {
  const iv = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(Buffer.from(place));
  const sealed = Buffer.concat([cipher.update(text), cipher.final()]);
  return Buffer.concat([iv, cipher.getAuthTag(), sealed]);
}

test('what is sealed for one row opens in no other', () => {
  const sealer = new Sealer(newKey);
  const sealed = sealer.seal('secret', 'accounts.stats_token_sealed acc_1');
  expect(sealer.open(sealed, 'accounts.stats_token_sealed acc_1')).toBe('secret');
  expect(() => sealer.open(sealed, 'accounts.stats_token_sealed acc_2')).toThrow();
  expect(() => sealer.open(sealed, 'accounts.proxy_password_sealed acc_1')).toThrow();
});

test('a key that was replaced opens what it sealed, and seals nothing', () => {
  const sealed = new Sealer(oldKey).seal('secret', 'here');
  const rotated = new Sealer(newKey, [oldKey]);
  expect(rotated.open(sealed, 'here')).toBe('secret');
  expect([rotated.isCurrent(sealed), rotated.isCurrent(rotated.seal('secret', 'here'))]).toEqual([
    false,
    true,
  ]);
  expect(() => new Sealer(newKey).open(sealed, 'here')).toThrow('an unknown key');
  expect(() => new Sealer(oldKey).open(rotated.seal('secret', 'here'), 'here')).toThrow();
});

test('what earlier versions sealed opens under any key that is known', () => {
  const rotated = new Sealer(newKey, [oldKey]);
  const text = sealedBefore(oldKey, 'secret').toString('base64');
  expect(rotated.open(text, 'here')).toBe('secret');
  expect(rotated.isCurrent(text)).toBe(false);
  expect(rotated.openBytes(sealedBefore(oldKey, 'cookies', 'profile'), 'profile').toString()).toBe('cookies');
  expect(() => rotated.openBytes(sealedBefore(oldKey, 'cookies', 'profile'), 'other')).toThrow();
});
