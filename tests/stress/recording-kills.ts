import { parseArgs } from 'node:util';
import { recordingKills } from './recording-kills-run.ts';

const usage = `usage: npm run recording-kills -- [--rounds 50] [--seed 1]

Records sessions on hosts that are killed at random moments. Fails when something that was recorded more than five
seconds before a kill is not in the recording, or cannot be played or exported.`;

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '50' },
    seed: { type: 'string', default: `${Date.now() % 1_000_000}` },
    help: { type: 'boolean', default: false },
  },
});
const [rounds, seed] = [Number(values.rounds), Number(values.seed)];
if (values.help || !(rounds > 0) || !(seed >= 0)) {
  console.error(usage);
  process.exit(values.help ? 0 : 2);
}
console.error(`seed ${seed}`);
const results = await recordingKills({
  rounds,
  seed,
  onRound: (round) => console.error(JSON.stringify(round)),
});
const range = (numbers: readonly number[]) => {
  const sorted = numbers.toSorted((a, b) => a - b);
  return { least: sorted[0], median: sorted[Math.floor(sorted.length / 2)], most: sorted.at(-1) };
};
const figures = (name: 'ranMs' | 'lostMs' | 'ticks' | 'chunks' | 'pictures' | 'readyMs') =>
  range(results.flatMap((result) => result[name] ?? []));
const failed = results.filter(({ failures }) => failures.length > 0);
console.log(
  JSON.stringify({
    rounds,
    seed,
    failed: failed.length,
    ranMs: figures('ranMs'),
    lostMs: figures('lostMs'),
    readyMs: figures('readyMs'),
    ticks: figures('ticks'),
    chunks: figures('chunks'),
    pictures: figures('pictures'),
  }),
);
process.exitCode = failed.length > 0 ? 1 : 0;
