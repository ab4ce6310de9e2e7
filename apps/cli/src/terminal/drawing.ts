import { stripVTControlCharacters, styleText } from 'node:util';

/** Colours only on a terminal, and not if NO_COLOR is set; Node checks both. */
export const paint = {
  bold: (text: string) => styleText('bold', text),
  dim: (text: string) => styleText('dim', text),
  good: (text: string) => styleText('green', text),
  warn: (text: string) => styleText('yellow', text),
  bad: (text: string) => styleText('red', text),
  bar: (text: string) => styleText('cyan', text),
};

export function terminalWidth(): number {
  return Math.max(40, process.stdout.columns || 80);
}

const width = (text: string): number => stripVTControlCharacters(text).length;

/** A table with aligned columns. Columns named in `right` are numbers. */
export function drawTable(
  headings: readonly string[],
  rows: readonly (readonly string[])[],
  right: readonly string[] = [],
): string {
  const all = [headings.map((heading) => paint.dim(heading)), ...rows];
  const widths = headings.map((_, column) => Math.max(...all.map((row) => width(row[column] ?? ''))));
  return all
    .map((row) =>
      row
        .map((cell, column) => {
          const fill = ' '.repeat((widths[column] ?? 0) - width(cell));
          return right.includes(headings[column] ?? '') ? fill + cell : cell + fill;
        })
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** A table of objects, whose members are its columns; `empty` says that there is none, and how to get one. */
export function drawRows(rows: readonly Readonly<Record<string, unknown>>[], empty: string): string {
  const [first] = rows;
  if (!first) return paint.dim(empty);
  const names = Object.keys(first);
  const isNumber = (name: string) => rows.every((row) => typeof row[name] === 'number');
  const text = (value: unknown) =>
    typeof value === 'boolean' ? (value ? 'yes' : 'no') : String(value ?? '–');
  return drawTable(
    names,
    rows.map((row) => names.map((name) => text(row[name]))),
    names.filter(isNumber),
  );
}

/** `label  value` lines. */
export function drawFacts(facts: Record<string, string | undefined>): string {
  const shown = Object.entries(facts).filter((entry): entry is [string, string] => entry[1] !== undefined);
  const widest = Math.max(...shown.map(([label]) => label.length));
  return shown.map(([label, value]) => `${paint.dim(label.padEnd(widest))}  ${value}`).join('\n');
}

const eighths = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉'];

/** A bar of up to `cells` characters; a value above zero is always visible. */
export function drawBar(share: number, cells: number): string {
  const full = Math.min(1, Math.max(0, share)) * cells * 8;
  const steps = share > 0 ? Math.max(1, Math.round(full)) : 0;
  return '█'.repeat(Math.floor(steps / 8)) + (eighths[steps % 8] ?? '');
}

/** A bar that shows a share of a total. */
export function drawGauge(share: number, cells: number): string {
  const bar = drawBar(share, cells);
  const colour = share >= 0.9 ? paint.bad : share >= 0.7 ? paint.warn : paint.bar;
  return colour(bar) + paint.dim('·'.repeat(Math.max(0, cells - bar.length)));
}

/** A bar chart as wide as the terminal: a row for each bar, with its value. */
export function drawBars(rows: readonly { label: string; value: number; text: string }[]): string {
  const labels = Math.max(0, ...rows.map(({ label }) => label.length));
  const texts = Math.max(0, ...rows.map(({ text }) => text.length));
  const cells = Math.min(50, Math.max(10, terminalWidth() - labels - texts - 4));
  const most = Math.max(...rows.map(({ value }) => value), Number.MIN_VALUE);
  return rows
    .map(({ label, value, text }) => {
      const bar = drawBar(value / most, cells);
      return `${paint.dim(label.padEnd(labels))}  ${text.padStart(texts)}  ${paint.bar(bar)}`.trimEnd();
    })
    .join('\n');
}

/** A box with a title. A terminal that is too narrow for it gets only the rules, so that lines can be copied whole. */
export function drawBox(title: string, lines: readonly string[], columns: number): string {
  const inner = Math.max(width(title) + 1, ...lines.map(width));
  const fits = inner + 4 <= columns;
  const rule = fits ? inner + 2 : columns;
  const top = `─ ${title} `.padEnd(rule, '─');
  if (!fits) return [top, ...lines, '─'.repeat(rule)].join('\n');
  const body = lines.map((line) => `│ ${line}${' '.repeat(inner - width(line))} │`);
  return [`┌${top}┐`, ...body, `└${'─'.repeat(rule)}┘`].join('\n');
}
