import { parseArgs } from 'node:util';
import { ClusterHarness, hourWrong } from '../faults/harness.ts';
import { runOutage } from '../faults/outage.ts';
import { describePlan, planOf } from '../faults/plan.ts';
import { missingConstants } from '../faults/quick-time.ts';
import { runPlan } from '../faults/run.ts';

/**
 * `npm run faults -- --runs 200 --seed 1 --minutes 40`: injects random faults into a cluster with simulated browsers, see
 * tests/faults. Run n has seed + n. It stops at the first run whose checks fail. With `--wrong-clocks` the clocks of
 * machines are an hour ahead and an hour behind.
 *
 * `npm run faults -- --outage 60`: stops PostgreSQL for that many seconds while real browsers run. With `--freeze` it is
 * frozen instead, so that it neither refuses nor answers.
 */
const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '200' },
    seed: { type: 'string', default: `${Date.now() % 1_000_000}` },
    minutes: { type: 'string', default: '60' },
    plan: { type: 'boolean', default: false },
    outage: { type: 'string' },
    freeze: { type: 'boolean', default: false },
    'wrong-clocks': { type: 'boolean', default: false },
  },
});
if (values.outage) {
  const { lines, objections } = await runOutage(
    Number(values.outage),
    values.freeze ? 'freeze postgres' : 'stop postgres',
  );
  for (const line of lines) console.log(line);
  for (const objection of objections) console.log(`FAILED ${objection}`);
  process.exit(objections.length > 0 ? 1 : 0);
}
const [runs, firstSeed, minutes] = [Number(values.runs), Number(values.seed), Number(values.minutes)];
const missing = missingConstants();
if (missing.length > 0) throw new Error(`tests/faults/quick-time.ts does not find ${missing.join('; ')}`);

const deadline = performance.now() + minutes * 60_000;
let done = 0;
let sessions = 0;
let faults = 0;
const harness = await ClusterHarness.start(values['wrong-clocks'] ? { clocksOffMs: hourWrong } : {});
try {
  for (; done < runs && performance.now() < deadline; done++) {
    const plan = planOf(firstSeed + done);
    const beganAt = performance.now();
    const result = await runPlan({ harness, plan });
    sessions += result.sessions;
    faults += result.faults;
    const seconds = ((performance.now() - beganAt) / 1000).toFixed(1);
    console.log(
      `${done + 1}/${runs} ${describePlan(plan)}: ${result.sessions} sessions, settled in ${Math.round(result.settledMs)} ms, ${seconds} s`,
    );
    if (result.objections.length > 0) {
      console.log(`FAILED with --seed ${plan.seed} --runs 1:\n  ${result.objections.join('\n  ')}`);
      if (values.plan) console.log(JSON.stringify(plan));
      for (const { part } of [...harness.gateways, ...harness.hosts]) console.log(part.logs().slice(-2000));
      process.exitCode = 1;
      break;
    }
  }
} finally {
  await harness[Symbol.asyncDispose]();
}
if (!process.exitCode)
  console.log(`${done} runs from seed ${firstSeed}, ${faults} faults, ${sessions} sessions: everything held`);
