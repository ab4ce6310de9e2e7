import type { HostConfig } from '@turnpike/host/config';
import {
  controlGroupAdvice,
  findAccessProblem,
  findCapsProblem,
  findNetworkProblem,
  findSandboxProblem,
  firstErrorLine,
  namespaceAdvice,
  readSwap,
  runSandboxed,
} from '@turnpike/host/doctor';
import { type Finding, fail, ok, warn } from './finding.ts';

export function checkUser(uid = process.getuid?.()): Finding {
  if (uid === 0) return ok('runs as root: each session gets a user id of its own');
  return ok(`runs as user ${uid}: sessions are apart by namespaces, under one user id`);
}

export async function checkSandbox({ sandbox, chromium }: HostConfig): Promise<Finding> {
  if (sandbox === 'off') {
    return warn('TURNPIKE_SANDBOX=off: browsers run without a sandbox', 'for development only; unset it');
  }
  const problem = await findSandboxProblem(chromium);
  if (problem) return fail(`browsers cannot be sandboxed: ${problem.reason}`, problem.advice);
  const accessProblem = findAccessProblem();
  if (!accessProblem) return ok('bubblewrap makes sandboxes');
  return fail(
    `files and displays in sandboxes cannot be opened: ${accessProblem.reason}`,
    accessProblem.advice,
  );
}

/** Checks the interfaces that make a sandboxed browser believe that it is online. */
export async function checkInterfaces({ sandbox }: HostConfig): Promise<Finding> {
  if (sandbox === 'off') return ok('browsers see the interfaces of this machine');
  const problem = await findNetworkProblem();
  if (!problem) return ok('browsers see that they are online');
  return warn(`pages are told that they are offline: ${problem.reason}`, problem.advice);
}

/** Chromium puts each page into namespaces of its own, inside ours. */
export async function checkChromiumSandbox({ chromium }: HostConfig): Promise<Finding> {
  const flags = ['--headless', '--disable-gpu', '--user-data-dir=/tmp/profile', '--dump-dom', 'about:blank'];
  try {
    const page = await runSandboxed(chromium, [chromium, ...flags], 20_000);
    if (page.includes('<html>')) return ok('Chromium starts in the sandbox, with its own sandbox on');
    return fail('Chromium shows no page in the sandbox', 'see the lines on Chromium and bubblewrap');
  } catch (error) {
    return fail(`Chromium does not start in the sandbox: ${firstErrorLine(error)}`, namespaceAdvice());
  }
}

export function checkCaps({ sessionMemoryBytes, sessionProcesses }: HostConfig): Finding {
  const reason = findCapsProblem({ memoryBytes: sessionMemoryBytes, processes: sessionProcesses });
  if (reason) return warn(`a session may use all that the machine has: ${reason}`, controlGroupAdvice());
  return ok(`a session may use ${sessionMemoryBytes / 2 ** 20} MiB and ${sessionProcesses} processes`);
}

const swapAdvice = 'docs/standby.md says how to set up zram';

/** Without swap that tenants' memory may go to, sessions that sleep keep theirs. */
export function checkSwap(swap = readSwap()): Finding {
  if (swap.kind === 'private') return ok('sessions in standby give their memory to swap');
  if (swap.kind === 'none')
    return ok(`sessions in standby keep their memory: there is no swap; ${swapAdvice}`);
  return warn(
    `sessions in standby keep their memory: swap at ${swap.area} would show it to a disk in clear`,
    `use zram without a backing device, or encrypted swap, and nothing else; ${swapAdvice}`,
  );
}
