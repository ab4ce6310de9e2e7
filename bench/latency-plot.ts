import type { Held } from './held-rate.ts';

export interface Latency extends Held {
  what: string;
}

const size = { width: 640, height: 360, left: 56, right: 190, top: 34, bottom: 40 };
const colours = ['#888888', '#b58900', '#268bd2', '#2aa198', '#dc322f'];

/** Plots the 99th percentile over the request rates, both logarithmic. */
export function latencyPlot(measured: readonly Latency[]): string {
  const byWhat = [...Map.groupBy(measured, ({ what }) => what)];
  const rates = [...new Set(measured.map((one) => one.perSecond))];
  const highest = Math.max(10, ...measured.map(({ p99 }) => p99));
  const [least = 1, most = 1] = [Math.min(...rates), Math.max(...rates)];
  const inner = { width: size.width - size.left - size.right, height: size.height - size.top - size.bottom };
  const x = (count: number) => size.left + (Math.log(count / least) / Math.log(most / least)) * inner.width;
  const y = (ms: number) =>
    size.top + inner.height - (Math.log(Math.max(1, ms)) / Math.log(highest)) * inner.height;
  const decades = [1, 10, 100, 1000, 10_000].filter((ms) => ms <= highest);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size.width} ${size.height}" font-family="sans-serif" font-size="11">`,
    '<title>Latency under load</title>',
    `<rect width="${size.width}" height="${size.height}" fill="#fff"/>`,
    `<text x="14" y="20" font-size="14" fill="#222">99th percentile, ms, over requests a second</text>`,
    ...decades.map(
      (ms) =>
        `<path d="M${size.left} ${y(ms)}h${inner.width}" stroke="#ddd"/><text x="${size.left - 6}" y="${y(ms) + 4}" text-anchor="end">${ms}</text>`,
    ),
    ...rates.map(
      (count) => `<text x="${x(count)}" y="${size.height - 18}" text-anchor="middle">${count}</text>`,
    ),
    ...byWhat.flatMap(([what, points], index) => {
      const line = points.map((point) => `${x(point.perSecond)},${y(point.p99)}`).join(' ');
      const colour = colours[index % colours.length];
      const labelY = size.top + 14 + index * 18;
      return [
        `<polyline points="${line}" fill="none" stroke="${colour}" stroke-width="2"/>`,
        `<text x="${size.width - size.right + 12}" y="${labelY}" fill="${colour}">${what.replaceAll('`', '')}</text>`,
      ];
    }),
    '</svg>\n',
  ].join('\n');
}
