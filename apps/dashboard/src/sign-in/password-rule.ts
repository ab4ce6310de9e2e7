import type { passwordLength } from '@turnpike/contract/dashboard/people';

/** The contract's own numbers: the type fails when they change. Its schemas stay out of the bundle. */
export const passwordRule: typeof passwordLength = { min: 10, max: 200 };
