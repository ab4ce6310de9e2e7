import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { publish, tableOf } from '../../bench/table.ts';
import { attacks } from '../fairness/attacks/all.ts';
import { runFairness, type Slice } from '../fairness/run.ts';
import type { Sample } from '../fairness/victim-main.ts';

/**
 * `npm run fairness -- --minutes 20 --seed 1 --rows 3,8`: one tenant's `/health` and CDP round trips beside another that
 * attacks, row by row and in random mixtures; see tests/fairness. With all rows it writes bench/results/fairness.md.
 */
const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '20' },
    seed: { type: 'string', default: '1' },
    rows: { type: 'string', default: attacks.map(({ row }) => row).join(',') },
    scale: { type: 'string', default: '1' },
  },
});
const rows = values.rows.split(',').map(Number);
const [minutes, seed, scale] = [Number(values.minutes), Number(values.seed), Number(values.scale)];
if (!(minutes > 0) || !Number.isInteger(seed) || !(scale > 0))
  throw new Error('--minutes and --scale must be numbers over 0, and --seed an integer');
if (!rows.every((row) => attacks.some((attack) => attack.row === row)))
  throw new Error(`--rows takes numbers of rows: ${attacks.map(({ row }) => row).join(', ')}`);

// Uses its own directory, so that leftovers are from this run.
const temporary = mkdtempSync(join(tmpdir(), 'fairness-'));
chmodSync(temporary, 0o1777);
process.env['TMPDIR'] = temporary;
process.on('exit', () => rmSync(temporary, { recursive: true, force: true }));

// As many mixtures as rows: all get the same time.
const sliceMs = (minutes * 60_000) / (2 * rows.length);
const result = await runFairness({
  rows,
  mixtures: rows.length,
  sliceMs,
  seed,
  scale,
  withDirect: true,
  onSlice: (slice) => console.log(figures(slice).join('  ')),
});

const head = [
  'beside',
  'health p50',
  'p99',
  'longest',
  'CDP p50',
  'p99',
  'longest',
  'direct p99',
  'longest',
  'machine',
  'service',
  'sent',
  'MiB',
  'failed',
];
const attacked = result.slices.filter(({ rows }) => rows.length > 0);
const total: Slice = {
  name: 'all of them',
  rows: [],
  rounds: 0,
  failures: attacked.flatMap(({ failures }) => failures),
  samples: attacked.flatMap(({ samples }) => samples),
  sentBytes: sum(attacked.map(({ sentBytes }) => sentBytes)),
  serviceSeconds: sum(attacked.map(({ serviceSeconds }) => serviceSeconds)),
  lastedMs: sum(attacked.map(({ lastedMs }) => lastedMs)),
  residentMiB: Math.max(...attacked.map(({ residentMiB }) => residentMiB)),
};
const { before, after, left, byTenant, fatalLines } = result;
const tenants = byTenant.map((line) => {
  const [, name = '', value = ''] = /^(.*) (\S+)$/.exec(line) ?? [];
  return [`\`${name}\``, value];
});
const notes = [
  `\`npm run fairness -- --minutes ${minutes} --seed ${seed}${scale === 1 ? '' : ` --scale ${scale}`}\`. Milliseconds, of a tenant in a process of its own. *direct* is the same CDP round trip with a Chromium beside the service, in a control group of a session's weight: what the machine's two processors make everybody wait, with the attacker's own processes on them. *machine* is the longest that an idle process had to wait for the processor meanwhile. *service* is the share of a processor that the service's own threads used, *sent* what the attacker sent, *MiB* the service's memory after the row.`,
  `Memory before: ${before.residentMiB} MiB. After all sessions were closed: ${after.residentMiB} MiB, ${after.processes} processes (${before.processes} before), ${after.descriptors} descriptors (${before.descriptors} before). ${left.length === 0 ? 'Nothing was left behind.' : `Left behind: ${left.join('; ')}.`}`,
  ...(tenants.length === 0 ? [] : [`Processor time by tenant:\n\n${tableOf(['metric', 'value'], tenants)}`]),
].join('\n\n');
const table = [...result.slices, total].map(figures);
if (rows.length === attacks.length)
  await publish('fairness', 'A tenant beside an attacker', head, table, notes);
else console.log(`${tableOf(head, table)}\n\n${notes}`);
if (left.length > 0 || fatalLines.length > 0) {
  console.error(`FAILED with --seed ${seed}:\n  ${[...left, ...fatalLines].join('\n  ')}`);
  process.exitCode = 1;
}

function figures({
  name,
  samples,
  lastedMs,
  serviceSeconds,
  sentBytes,
  residentMiB,
}: Slice): (string | number)[] {
  const times = (kind: Sample['kind']) => {
    const sorted = samples
      .filter((sample) => sample.kind === kind)
      .map(({ ms }) => ms)
      .sort((a, b) => a - b);
    const at = (share: number) =>
      (sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0).toFixed(1);
    return [at(0.5), at(0.99), at(1)];
  };
  const share = `${Math.round((100_000 * serviceSeconds) / lastedMs)}%`;
  const failed = samples.filter(({ kind }) => kind === 'failure').length;
  const sent = `${(sentBytes / 1e6).toFixed(1)} MB`;
  return [
    name,
    ...times('health'),
    ...times('cdp'),
    ...times('direct').slice(1),
    times('idle')[2] ?? '',
    share,
    sent,
    residentMiB,
    failed,
  ];
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
