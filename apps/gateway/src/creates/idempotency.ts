import { createHmac } from 'node:crypto';
import { idempotencyKeyPattern } from '@turnpike/contract/create';
import { ApiError } from '../http/api-error.ts';
import { hashSecret } from '../secrets/hash-secret.ts';
import { isExactNumber } from '../store/exact-json.ts';
import type { CreateParams } from './parameters/create-params.ts';

/** How long a key is remembered. */
export const keyLifetimeMs = 24 * 3_600_000;

/** What is stored of an Idempotency-Key and of the parameters that came with it. */
export interface Claim {
  accountId: string;
  keyHash: string;
  paramsHash: string;
}

/** Checks an Idempotency-Key, of a header or of a close. */
export function parseIdempotencyKey(value: unknown): string {
  if (typeof value !== 'string' || !idempotencyKeyPattern.test(value)) {
    throw new ApiError('badRequest', {
      message: 'Idempotency-Key must be 1 to 255 visible ASCII characters',
    });
  }
  return value;
}

export const hashedKey = (accountId: string, key: string) => ({
  accountId,
  keyHash: hashSecret(`${accountId} ${key}`),
});

/**
 * Hashes a key and its parameters. Parameters are compared as parsed, so that both create routes and every way to write
 * a value are equal. They contain the proxy's password, so their hash is keyed with the key itself, which the store
 * does not have.
 */
export function claimOf(accountId: string, key: string, params: CreateParams & { work?: object }): Claim {
  return {
    ...hashedKey(accountId, key),
    paramsHash: createHmac('sha256', key).update(canonical(params)).digest('hex'),
  };
}

/** Writes JSON with sorted members. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_name, member: unknown) =>
    typeof member === 'object' && member !== null && !Array.isArray(member) && !isExactNumber(member)
      ? Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)))
      : member,
  );
}
