import type { Sample } from './soak-run.ts';

const panels = [
  ['processes', 'processes'],
  ['descriptors', 'open file descriptors'],
  ['controlGroups', 'control groups'],
  ['heapKiB', 'heap, KiB, after collection'],
  ['residentMiB', 'resident memory, MiB'],
  ['mounts', 'mounts'],
] as const satisfies readonly (readonly [keyof Sample, string])[];

const panel = { width: 300, height: 150, left: 52, right: 12, top: 30, bottom: 26 };
const columns = 3;

/** Plots small panels, one for each value, over the number of sessions so far. Each starts at zero. */
export function plot(samples: readonly Sample[], title: string): string {
  const width = columns * panel.width;
  const height = 34 + Math.ceil(panels.length / columns) * panel.height;
  const drawn = panels.map(([name, label], index) => {
    const x = (index % columns) * panel.width;
    const y = 34 + Math.floor(index / columns) * panel.height;
    return `<g transform="translate(${x} ${y})">${drawPanel(samples, name, label)}</g>`;
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="11">`,
    `<title>${title}</title>`,
    `<rect width="${width}" height="${height}" fill="#fff"/>`,
    `<text x="14" y="22" font-size="14" fill="#222">${title}</text>`,
    ...drawn,
    '</svg>\n',
  ].join('\n');
}

function drawPanel(samples: readonly Sample[], name: keyof Sample, label: string): string {
  const lastX = Math.max(1, samples.at(-1)?.sessions ?? 1);
  const highest = Math.max(1, ...samples.map((sample) => sample[name])) * 1.15;
  const inner = {
    width: panel.width - panel.left - panel.right,
    height: panel.height - panel.top - panel.bottom,
  };
  const x = (sessions: number) => (panel.left + (sessions / lastX) * inner.width).toFixed(1);
  const y = (value: number) => (panel.top + (1 - value / highest) * inner.height).toFixed(1);
  const points = samples.map((sample) => `${x(sample.sessions)},${y(sample[name])}`).join(' ');
  const last = samples.at(-1)?.[name] ?? 0;
  return [
    `<text x="${panel.left}" y="${panel.top - 10}" fill="#222">${label}: ${last} at the end</text>`,
    `<path d="M${x(0)} ${y(highest)}V${y(0)}H${x(lastX)}" fill="none" stroke="#999"/>`,
    `<text x="${panel.left - 6}" y="${y(0)}" text-anchor="end" fill="#666">0</text>`,
    `<text x="${panel.left - 6}" y="${Number(y(highest)) + 8}" text-anchor="end" fill="#666">${Math.round(highest)}</text>`,
    `<text x="${x(lastX)}" y="${panel.height - 10}" text-anchor="end" fill="#666">${lastX} sessions</text>`,
    `<polyline points="${points}" fill="none" stroke="#2563eb" stroke-width="1.6"/>`,
  ].join('');
}
