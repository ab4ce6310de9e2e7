import { hash } from 'node:crypto';

/** Hashes a secret for looking it up. Ours have 128 random bits or more, so a fast hash is as safe as a slow one. */
export const hashSecret = (secret: string): string => hash('sha256', secret);
