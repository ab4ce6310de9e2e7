import { parseArgs } from 'node:util';
import { trends } from './soak-trend.ts';
import { uploadRounds } from './upload-rounds-run.ts';

const usage = `usage: npm run upload-rounds -- [--rounds 1000]

Opens a session on a host of its own, uploads, aborts and stalls, closes it, and so on. Fails when user ids, processes,
descriptors, control groups, mounts or memory are not as they were.`;

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '1000' },
    help: { type: 'boolean', default: false },
  },
});
const rounds = Number(values.rounds);
if (values.help || !(rounds > 0)) {
  console.error(usage);
  process.exit(values.help ? 0 : 2);
}
const { samples, failures, helpers } = await uploadRounds({
  rounds,
  onSample: (sample) => console.error(JSON.stringify(sample)),
});
const found = trends(samples, 0);
if (helpers.most > helpers.before) found.push(`the host had ${helpers.most} processes of its own`);
for (const line of [...failures, ...found]) console.error(line);
console.log(
  JSON.stringify({ rounds, failures: failures.length, helpers, last: samples.at(-1), trends: found }),
);
process.exitCode = failures.length + found.length > 0 ? 1 : 0;
