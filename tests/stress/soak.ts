import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { plot } from './soak-plot.ts';
import { soak } from './soak-run.ts';
import { trends } from './soak-trend.ts';

const usage = `usage: npm run soak -- [--sessions 100] [--at-once 4] [--headful-every 4] [--warm 0] [--minutes 30]

Opens and closes sessions on a host of its own and fails when anything of it grows with their number. Writes
bench/results/soak.json and soak.svg.`;

const { values } = parseArgs({
  options: {
    sessions: { type: 'string', default: '100' },
    'at-once': { type: 'string', default: String(2 * availableParallelism()) },
    'headful-every': { type: 'string', default: '4' },
    warm: { type: 'string', default: '0' },
    minutes: { type: 'string', default: '30' },
    help: { type: 'boolean', default: false },
  },
});
const { help, ...texts } = values;
const numbers = Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, Number(text)]));
if (help || Object.values(numbers).some((number) => !(number >= 0))) {
  console.error(usage);
  process.exit(help ? 0 : 2);
}
const {
  sessions = 0,
  'at-once': atOnce = 1,
  'headful-every': headfulEvery = 0,
  warm = 0,
  minutes = 0,
} = numbers;

// Uses its own directory, so that leftovers are from this run. Others may enter, because Squid runs as another user.
const temporary = mkdtempSync(join(tmpdir(), 'soak-'));
chmodSync(temporary, 0o1777);
process.env['TMPDIR'] = temporary;
process.on('exit', () => rmSync(temporary, { recursive: true, force: true }));

const options = { sessions, atOnce, headfulEvery, warm, maxMs: minutes * 60_000 };
const result = await soak({ ...options, onSample: (sample) => console.error(JSON.stringify(sample)) });
const found = trends(result.samples, warm);
const directory = join(import.meta.dirname, '../../bench/results');
mkdirSync(directory, { recursive: true });
writeFileSync(
  join(directory, 'soak.json'),
  `${JSON.stringify({ ...options, opened: result.opened, failures: result.failures, trends: found, samples: result.samples }, undefined, 2)}\n`,
);
const seconds = Math.round(result.samples.at(-1)?.seconds ?? 0);
writeFileSync(
  join(directory, 'soak.svg'),
  plot(
    result.samples,
    `A host over ${result.opened} sessions in a row, ${atOnce} at a time, in ${seconds} s`,
  ),
);
for (const failure of result.failures) console.error(failure);
for (const trend of found) console.error(`trend: ${trend}`);
if (result.opened < sessions) console.error(`only ${result.opened} sessions in the time given`);
process.exitCode = found.length + result.failures.length > 0 ? 1 : 0;
