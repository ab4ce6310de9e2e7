import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type FuzzResult, fuzz } from '../fuzz/run.ts';

/**
 * `npm run fuzz -- --minutes M --seed N`: sends hostile bytes to every public port of a service and to both sides of
 * its forwarders, while real browsers and accounts work; see tests/fuzz. `--write` updates bench/results/fuzz.md.
 */
const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '5' },
    seed: { type: 'string', default: `${Date.now() % 1_000_000}` },
    write: { type: 'boolean', default: false },
  },
});
const [minutes, seed] = [Number(values.minutes), Number(values.seed)];
if (!(minutes > 0) || !Number.isInteger(seed))
  throw new Error('--minutes must be a number over 0, and --seed an integer');

// Uses its own directory, so that leftovers are from this run.
const temporary = mkdtempSync(join(tmpdir(), 'fuzz-'));
chmodSync(temporary, 0o1777);
process.env['TMPDIR'] = temporary;
process.on('exit', () => rmSync(temporary, { recursive: true, force: true }));

console.log(`fuzzing for ${minutes} minutes with --seed ${seed}`);
const result = await fuzz({ seed, ms: minutes * 60_000 });
const report = describe(result);
console.log(report);
if (values.write) writeFileSync(join(import.meta.dirname, '../../bench/results/fuzz.md'), report);
if (result.objections.length > 0) {
  console.error(`FAILED with --seed ${seed}:\n  ${result.objections.join('\n  ')}`);
  process.exitCode = 1;
}

function describe({ before, after, ...result }: FuzzResult): string {
  const total = Object.values(result.conversations).reduce((sum, count) => sum + count, 0);
  const row = (cells: (string | number)[]) => `| ${cells.join(' | ')} |`;
  return [
    '# Fuzzing',
    '',
    `\`npm run fuzz -- --minutes ${minutes} --seed ${seed}\`: ${total} hostile connections, ${result.hostileAnswers} hostile answers of a proxy or site, ${result.attackerSessions} browsers of the attacker. ${result.objections.length === 0 ? 'Everything held.' : `${result.objections.length} things did not hold.`}`,
    '',
    row(['conversation', 'connections']),
    row(['---', '--:']),
    ...Object.entries(result.conversations).sort().map(row),
    '',
    row(['beside it', 'rounds, all right', 'slowest']),
    row(['---', '--:', '--:']),
    ...Object.entries(result.witnesses).map(([name, { rounds, slowestMs }]) =>
      row([name, rounds, `${Math.round(slowestMs)} ms`]),
    ),
    '',
    `Longest wait of a tenant in a process of its own: ${Math.round(result.longestMs.health)} ms for \`/health\`, ${Math.round(result.longestMs.cdp)} ms for a CDP round trip; of an idle process for the processor: ${Math.round(result.longestMs.idle)} ms.`,
    '',
    `The cost of ${result.measured} conversations, one at a time. At most 0.3 s and 5 µs for each byte (\`tests/fuzz/cost.ts\`); the costliest:`,
    '',
    row(['conversation', 'bytes', 'processor', 'for each byte']),
    row(['---', '--:', '--:', '--:']),
    ...result.costliest.map(({ name, bytes, seconds }) =>
      row([name, bytes, `${(1000 * seconds).toFixed(0)} ms`, `${((1e6 * seconds) / bytes).toFixed(2)} µs`]),
    ),
    '',
    row(['of the service', 'before', 'at most', `${(result.settledMs / 1000).toFixed(1)} s after`]),
    row(['---', '--:', '--:', '--:']),
    row([
      'resident memory',
      `${before.residentMiB} MiB`,
      `${result.peakMiB} MiB`,
      `${after.residentMiB} MiB`,
    ]),
    row(['descriptors', before.descriptors, '', after.descriptors]),
    row(['processes', before.processes, '', after.processes]),
    row(['temporary directories', before.temporaries, '', after.temporaries]),
    '',
  ].join('\n');
}
