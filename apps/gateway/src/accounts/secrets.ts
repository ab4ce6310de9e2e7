import { createHash, randomBytes } from 'node:crypto';

export const newApiKey = (): string => `tp_live_${randomBytes(32).toString('hex')}`;
export const newAccountId = (): string => `acc_${randomBytes(12).toString('hex')}`;
export const newSessionId = (): string => `br_${randomBytes(12).toString('hex')}`;
export const newCdpId = (): string => `br_${randomBytes(20).toString('hex')}`;
export const newViewerToken = (): string => randomBytes(20).toString('hex');

/** Keys are 256 random bits, so a plain hash is as good as a slow one, and can be looked up. */
export const hashApiKey = (key: string): string => createHash('sha256').update(key).digest('hex');
