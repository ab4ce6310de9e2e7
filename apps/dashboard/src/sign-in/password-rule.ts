import type { passwordLength } from '@turnpike/contract/dashboard/people';

/** Repeats the contract's numbers, so that its schemas stay out of the bundle; the type fails if they differ. */
export const passwordRule: typeof passwordLength = { min: 10, max: 200 };
