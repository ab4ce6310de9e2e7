import { writeFile } from 'node:fs/promises';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { createLogger } from '@turnpike/process/logger';
import { installedVersion } from '../apps/host/src/chromium/installed-version.ts';
import { readHostConfig } from '../apps/host/src/config.ts';
import { FontArchives } from '../apps/host/src/fonts/font-archive.ts';
import { prepareBrowser } from '../apps/host/src/pool/prepared-browser.ts';
import { UserIds } from '../apps/host/src/pool/user-ids.ts';
import { AppliedProfile } from '../apps/host/src/profile/applied-profile.ts';
import { startFor } from '../apps/host/src/profile/plan-start.ts';
import { completeProfile, planDevice } from '../apps/host/src/profile/profile.ts';
import { Sandboxes } from '../apps/host/src/sandbox/sandboxes.ts';
import { Targets } from '../apps/host/src/targets/targets.ts';
import { createTestSwitchboard } from '../apps/host/src/testing/test-switchboard.ts';

/**
 * Measures what a profile adds to a warm create: applies one to running browsers and times each step. A create
 * without a profile has none of these steps. Also measures a new page with and without a profile.
 *
 *     node bench/profile-create.ts [rounds]
 */

/** Time for a warm browser to finish its start. */
const settleMs = 1000;
const rounds = Number(process.argv[2] ?? 12);
const config = readHostConfig({});
const logger = createLogger('silent');
const sandboxes = new Sandboxes(config, logger);
const fonts = new FontArchives(config.chromium, logger);
await sandboxes.prepare();
const switchboard = createTestSwitchboard();
const userIds = new UserIds(process.getuid?.() === 0 ? config.uidBase : undefined);
const never = new AbortController().signal;
const chromiumVersion = installedVersion(config.chromium) ?? '';

type Case = readonly [
  name: string,
  params: { os: 'windows' | 'macos' | 'android'; headless: boolean },
  country?: string,
];
const cases: Case[] = [
  ['headless, windows', { os: 'windows', headless: true }],
  ['headless, windows, exit in Germany', { os: 'windows', headless: true }, 'DE'],
  ['headless, android', { os: 'android', headless: true }],
  ['headful, windows', { os: 'windows', headless: false }],
];

async function timed<T>(work: () => Promise<T> | T): Promise<[ms: number, result: T]> {
  const began = performance.now();
  const result = await work();
  return [performance.now() - began, result];
}

type Call = (method: 'Target.createTarget', params: { url: string }) => Promise<unknown>;

async function newPageMs(call: Call): Promise<number> {
  return (await timed(() => call('Target.createTarget', { url: 'about:blank' })))[0];
}

async function pageWithoutMs({ os, headless }: Case[1]): Promise<number> {
  const plan = planDevice(
    { os, headless, vnc: false, forceVisibility: false },
    { chromiumVersion, memory: 8 },
  );
  await using plain = await prepareBrowser(
    startFor(plan, headless),
    { ...config, sandboxes, fonts, switchboard, userIds },
    never,
  );
  await delay(settleMs);
  return await newPageMs((method, given) => plain.browser.controller.call(method, given));
}

interface Sample {
  choose: number;
  apply: number;
  cold: number;
  pageWithout: number;
  pageWith: number;
}

async function measure([, { os, headless }, country]: Case): Promise<Sample> {
  const pageWithout = await pageWithoutMs({ os, headless });
  const params = { os, headless, vnc: false, forceVisibility: false };
  const [choose, plan] = await timed(() => planDevice(params, { chromiumVersion, memory: 8 }));
  const start = startFor(plan, headless);
  const [cold, prepared] = await timed(() =>
    prepareBrowser(start, { ...config, sandboxes, fonts, switchboard, userIds }, never),
  );
  await using _prepared = prepared;
  await delay(settleMs);
  const call: Call = (method, given) => prepared.browser.controller.call(method, given);
  const [apply] = await timed(() =>
    AppliedProfile.apply(prepared.browser, completeProfile(plan, { country }), {
      logger,
      targets: new Targets(prepared.browser.controller, logger),
      signal: AbortSignal.timeout(60_000),
    }),
  );
  const pageWith = await newPageMs(call);
  return { choose, apply, cold, pageWithout, pageWith };
}

const middle = (values: number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;
const at95 = (values: number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length * 0.95)] ?? 0;
const round = (value: number): number => Math.round(value * 10) / 10;

const results = [];
for (const entry of cases) {
  await measure(entry); // Not counted, because the first run reads files.
  const samples: Sample[] = [];
  for (let index = 0; index < rounds; index++) samples.push(await measure(entry));
  const of = (name: keyof Sample) => samples.map((sample) => sample[name]);
  results.push({
    case: entry[0],
    chooseMs: round(middle(of('choose'))),
    applyMs: round(middle(of('apply'))),
    applyP95Ms: round(at95(of('apply'))),
    coldStartMs: round(middle(of('cold'))),
    newPageWithoutMs: round(middle(of('pageWithout'))),
    newPageWithMs: round(middle(of('pageWith'))),
  });
}
await sandboxes.close();
await switchboard.close();

const where = {
  date: new Date().toISOString().slice(0, 10),
  chromium: chromiumVersion,
  cores: cpus().length,
  rounds,
};
const table = [
  '| | choose | apply | apply, 95th | (a cold start) | new page without | with |',
  '|---|---|---|---|---|---|---|',
  ...results.map((row) => `| ${Object.values(row).join(' | ')} |`),
];
const text = `# A profile on a warm browser

The time that a profile adds to a warm create, in milliseconds (medians of ${rounds}, on ${where.cores} cores, Chromium
${where.chromium}): choosing the device, then applying it. A create without a profile has neither step.
Values that can only be set at the start need a cold start, unless the pool has a matching browser.

${table.join('\n')}

\`node bench/profile-create.ts\`
`;
const directory = join(import.meta.dirname, 'results');
await writeFile(
  join(directory, 'profile-create.json'),
  `${JSON.stringify({ ...where, results }, null, 2)}\n`,
);
await writeFile(join(directory, 'profile-create.md'), text);
console.log(text);
