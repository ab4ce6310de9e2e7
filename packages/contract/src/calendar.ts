/** UTC days as text, YYYY-MM-DD, which sorts by time. */

const dayMs = 86_400_000;
const pattern = /^\d{4}-\d{2}-\d{2}$/;

export const maxSpanDays = 366;

export const utcDay = (at: number): string => new Date(at).toISOString().slice(0, 10);

/** Parses a day; undefined if it does not exist. */
function dayNumber(text: string): number | undefined {
  if (!pattern.test(text)) return undefined;
  const at = Date.parse(`${text}T00:00:00Z`);
  return Number.isNaN(at) || utcDay(at) !== text ? undefined : at / dayMs;
}

export type DayRange = { ok: true; from: string; to: string; days: number } | { ok: false; rule: string };

export function parseRange(from: unknown, to: unknown, today: string): DayRange {
  if (from === undefined) return { ok: false, rule: 'from is required (YYYY-MM-DD)' };
  const first = typeof from === 'string' ? dayNumber(from) : undefined;
  if (first === undefined) return { ok: false, rule: 'from must be a calendar date (YYYY-MM-DD)' };
  const lastDay = to ?? today;
  const last = typeof lastDay === 'string' ? dayNumber(lastDay) : undefined;
  if (last === undefined) return { ok: false, rule: 'to must be a calendar date (YYYY-MM-DD)' };
  if (last < first) return { ok: false, rule: 'to must not be before from' };
  const days = last - first + 1;
  if (days > maxSpanDays) return { ok: false, rule: `Range too large: max ${maxSpanDays} days` };
  return { ok: true, from: from as string, to: lastDay as string, days };
}

/** Every day of a range, first to last. */
export function daysFrom(from: string, count: number): string[] {
  const first = Date.parse(`${from}T00:00:00Z`);
  return Array.from({ length: count }, (_, i) => utcDay(first + i * dayMs));
}

/** The first day of a window of that many days that ends today. */
export function windowStart(now: number, days: number): string {
  return utcDay(now - (days - 1) * dayMs);
}
