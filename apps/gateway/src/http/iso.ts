/** A time as answers have it. */
export const iso = (at: number): string => new Date(at).toISOString();

export const isoOrNull = (at: number | null | undefined): string | null =>
  at === null || at === undefined ? null : iso(at);
