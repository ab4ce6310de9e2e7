import { createHmac } from 'node:crypto';
import { idempotencyKeyPattern } from '@turnpike/contract/create';
import { ApiError } from '../http/api-error.ts';
import { hashSecret } from '../secrets/hash-secret.ts';
import { isExactNumber } from '../store/exact-json.ts';
import type { CreateParams } from './create-params.ts';

/** How long a key leads to its session. */
export const keyLifetimeMs = 24 * 3_600_000;

/** What the store keeps of an Idempotency-Key and of the parameters that came with it. */
export interface Claim {
  accountId: string;
  keyHash: string;
  paramsHash: string;
}

/** The header's value, or that of a close. */
export function parseIdempotencyKey(value: unknown): string {
  if (typeof value !== 'string' || !idempotencyKeyPattern.test(value)) {
    throw new ApiError('badRequest', {
      message: 'Idempotency-Key must be 1 to 255 visible ASCII characters',
    });
  }
  return value;
}

export const keyOf = (accountId: string, key: string) => ({
  accountId,
  keyHash: hashSecret(`${accountId} ${key}`),
});

/**
 * Parameters are compared as they were understood, so that both create paths and every way to write a value
 * count as the same. They hold the proxy's password: their hash is keyed with what the store does not know.
 */
export function claimOf(accountId: string, key: string, params: CreateParams): Claim {
  return {
    ...keyOf(accountId, key),
    paramsHash: createHmac('sha256', key).update(canonical(params)).digest('hex'),
  };
}

/** JSON whose members are in order. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_name, member: unknown) =>
    typeof member === 'object' && member !== null && !Array.isArray(member) && !isExactNumber(member)
      ? Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)))
      : member,
  );
}
