import { type HostConfig, readHostConfig } from '@turnpike/host/config';
import { type Environment, SettingError } from '@turnpike/process/settings';
import { type Finding, fail, type Level } from './doctor/finding.ts';
import { checkMemory, checkNode, checkPlatform } from './doctor/machine-checks.ts';
import { checkChromium, checkDisplay, checkFonts, checkSocat } from './doctor/program-checks.ts';
import { checkCaps, checkChromiumSandbox, checkSandbox, checkUser } from './doctor/sandbox-checks.ts';
import { checkDatabase, checkDataDirectory, checkPort } from './doctor/service-checks.ts';

const marks: Record<Level, string> = { ok: '✓', warn: '!', fail: '✗' };
const colours: Record<Level, number> = { ok: 32, warn: 33, fail: 31 };

export interface DoctorOptions {
  json?: boolean;
  output?: { write(text: string): unknown; isTTY?: boolean };
}

/** Checks the machine and prints a line for each thing. Resolves to the exit code: 1 when something fails. */
export async function doctor(env: Environment, options: DoctorOptions = {}): Promise<number> {
  const { json = false, output = process.stdout } = options;
  const findings = await examine(env);
  if (json) output.write(`${JSON.stringify(findings, undefined, 2)}\n`);
  else for (const finding of findings) output.write(`${present(finding, output.isTTY === true)}\n`);
  return findings.some(({ level }) => level === 'fail') ? 1 : 0;
}

export async function examine(env: Environment): Promise<Finding[]> {
  return Promise.all([
    checkNode(),
    checkPlatform(),
    checkUser(),
    ...examineHost(env),
    checkDisplay(),
    checkSocat(),
    checkFonts(),
    checkPort(env, 'TURNPIKE_PORT', 8080),
    checkPort(env, 'TURNPIKE_HOST_PORT', 8081),
    checkPort(env, 'TURNPIKE_PROXY_PORT', 8082),
    ...(env['TURNPIKE_METRICS_PORT']
      ? [checkPort(env, 'TURNPIKE_METRICS_PORT', 0, 'TURNPIKE_METRICS_BIND')]
      : []),
    checkDataDirectory(env),
    checkDatabase(env),
  ]);
}

/** What a host with these settings would do. */
function examineHost(env: Environment): (Finding | Promise<Finding>)[] {
  let config: HostConfig;
  try {
    config = readHostConfig(env);
  } catch (error) {
    if (!(error instanceof SettingError)) throw error;
    return [fail(error.message, 'correct it; without Chromium: as root `apt-get install chromium`')];
  }
  return [
    checkChromium(config.chromium),
    checkSandbox(config),
    checkChromiumSandbox(config),
    checkCaps(config),
    checkMemory(config.seats),
  ];
}

function present({ level, what, advice }: Finding, colour: boolean): string {
  const mark = colour ? `\x1b[${colours[level]}m${marks[level]}\x1b[0m` : marks[level];
  return advice === undefined ? `${mark} ${what}` : `${mark} ${what}\n    → ${advice}`;
}
