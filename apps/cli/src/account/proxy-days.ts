import type { ProxyDay } from 'turnpike-client';
import { drawBars, paint } from '../terminal/drawing.ts';
import { printJson } from '../terminal/print.ts';
import { bytes } from '../terminal/wording.ts';

export const commaList = (text: string): string[] => text.split(',').filter((item) => item !== '');

/** Prints what sessions have seen of a proxy or a pool. */
export function showProxyDays(days: readonly ProxyDay[], { json }: { json?: boolean }): void {
  if (json) {
    printJson(days);
    return;
  }
  if (days.length === 0) {
    console.log(paint.dim('No session that used it has ended yet.'));
    return;
  }
  const rows = days.map((day) => ({
    label: day.date,
    value: day.bytesUp + day.bytesDown,
    text: [
      bytes(day.bytesUp + day.bytesDown),
      `${day.failures} of ${day.connections} failed`,
      ...(day.cost === null ? [] : [`cost ${Math.round(day.cost * 1e4) / 1e4}`]),
    ].join(', '),
  }));
  console.log(drawBars(rows));
}
