import { createCipheriv, randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { readShareToken, shareToken } from '../recordings/share-link.ts';
import { knownDevice, newDevice } from '../users/device.ts';
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

test('only the key of today proves anything: a link or cookie of a replaced key is worth nothing', () => {
  const [before, now] = [new Sealer(oldKey), new Sealer(newKey, [oldKey])];
  expect(now.proof('links', 'text').equals(new Sealer(newKey).proof('links', 'text'))).toBe(true);
  expect(now.isProof(now.proof('links', 'text').toString('hex'), 'links', 'text')).toBe(true);
  expect(now.isProof(before.proof('links', 'text').toString('hex'), 'links', 'text')).toBe(false);
  expect(now.isProof(now.proof('cookies', 'text').toString('hex'), 'links', 'text')).toBe(false);
  expect(now.isProof('', 'links', 'text')).toBe(false);
  const until = Date.now() + 1000;
  const link = shareToken(before, 'br_0123456789abcdef01234567', until);
  expect(readShareToken(before, link, until - 1)).toBe('br_0123456789abcdef01234567');
  expect(readShareToken(now, link, until - 1)).toBeUndefined();
  const device = newDevice(before, 'a@example.com');
  expect(knownDevice(before, 'a@example.com', device)).toBeTypeOf('string');
  expect(knownDevice(now, 'a@example.com', device)).toBeUndefined();
});

test('a large value opens in slices, and only if it is whole', async () => {
  const sealer = new Sealer(newKey, [oldKey]);
  const large = randomBytes(3_000_000);
  const sealed = sealer.sealBytes(large, 'here');
  expect((await sealer.openLarge(sealed, 'here')).equals(large)).toBe(true);
  await expect(sealer.openLarge(sealed, 'there')).rejects.toThrow();
  sealed[sealed.length - 1] = (sealed.at(-1) ?? 0) ^ 1;
  await expect(sealer.openLarge(sealed, 'here')).rejects.toThrow();
  expect((await sealer.openLarge(sealedBefore(oldKey, 'events', 'here'), 'here')).toString()).toBe('events');
});
