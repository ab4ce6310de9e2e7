import { errors } from '@turnpike/contract/errors';
import { HostError } from '@turnpike/contract/host';
import { ApiError } from '../http/api-error.ts';
import { NoAbleHostError } from '../seams/browser-hosts.ts';
import { isStoreOutage } from '../store/outage.ts';
import type { Admission } from './admission-store.ts';
import type { Stopping } from './create-context.ts';
import { malformed } from './parameters/parse-parameter.ts';

/** The answers to creates that fail. */

export function refusal(
  admission: Exclude<Admission, { outcome: 'admitted' | 'repeated' | 'no-proxy' }>,
): ApiError {
  switch (admission.outcome) {
    case 'closed':
      return keyClosed();
    case 'other-params':
      return new ApiError('idempotencyMismatch');
    case 'suspended':
      return new ApiError('invalidKey');
    case 'rate-limited':
      return new ApiError('rateLimit', { members: { limit: admission.limit, window: '60s' } });
    case 'profile-in-use':
      return new ApiError('profileInUse', { field: 'profile' });
    case 'no-snapshot':
      return noSnapshot();
    case 'identity-in-use':
      return new ApiError('identityInUse', { field: 'snapshot' });
    case 'cap-reached':
      return new ApiError('usageCapReached', { members: { remainingSeconds: 0 } });
    case 'no-seat':
      return new ApiError('capacity');
    case 'no-slot':
      return new ApiError('concurrencyLimit', {
        members: { limit: admission.limit, active: admission.taken },
      });
  }
}

export function creationError(error: unknown): unknown {
  if (error instanceof ApiError || isStoreOutage(error)) return error;
  if (error instanceof HostError && error.code === 'NO_SEAT') return new ApiError('capacity');
  if (error instanceof NoAbleHostError) return new ApiError('capacity', { message: error.message });
  if (error instanceof HostError && error.code === 'PROXY_UNREACHABLE') {
    return new ApiError('proxyUnreachable', { detail: error.message, field: 'proxy' });
  }
  if (error instanceof HostError && error.code === 'EXTENSION_FAILED') {
    return new ApiError('extensionFailed', { detail: error.message, field: 'extensions' });
  }
  if (error instanceof HostError && error.code === 'DEVICE_UNKNOWN')
    return malformed('device', error.message);
  if (error instanceof HostError && error.code === 'NO_FILTER_LIST') return malformed('block', error.message);
  return new ApiError('creationFailed', { cause: error });
}

export const noSnapshot = () =>
  malformed(
    'snapshot',
    'must be the id of a snapshot of this account; that one has expired, was deleted or never was',
  );

export const tookTooLong = () => new ApiError('creationFailed', { detail: 'it took too long' });

/** The same answer as to a repeated create whose session was closed. */
export const keyClosed = () => new ApiError('sessionEnded', { message: 'Session is CLOSED' });

export const shuttingDown = () =>
  new ApiError('capacity', { message: 'This gateway is shutting down, try again in a moment.' });

/** Replaces the error of a create that fails because its gateway stops. The client's own mistakes stay as they are. */
export function errorWhileStopping({ creating, waiting }: Stopping, error: unknown): unknown {
  const spec = error instanceof ApiError ? error.spec : undefined;
  if (creating.aborted && (spec === undefined || spec.status >= 500)) return shuttingDown();
  if (waiting.aborted && spec === errors.concurrencyLimit) return shuttingDown();
  return error;
}
