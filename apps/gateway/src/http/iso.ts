/** A time as answers have it. */
export const iso = (at: number): string => new Date(at).toISOString();
