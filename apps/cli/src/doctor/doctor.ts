import { join } from 'node:path';
import { dataDirectory } from '@turnpike/gateway/config';
import { type HostConfig, readHostConfig } from '@turnpike/host/config';
import { type Environment, SettingError } from '@turnpike/process/settings';
import type { Part } from '@turnpike/process/settings/setting-table';
import {
  checkClusterCertificates,
  checkClusterSecret,
  checkGateways,
  checkPublicCertificate,
  checkSecretKey,
} from './cluster-checks.ts';
import { type Finding, fail, type Level, warn } from './finding.ts';
import { checkMemory, checkNode, checkPlatform } from './machine-checks.ts';
import { checkChromium, checkDisplay, checkFonts } from './program-checks.ts';
import {
  checkCaps,
  checkChromiumSandbox,
  checkInterfaces,
  checkSandbox,
  checkSwap,
  checkUser,
} from './sandbox-checks.ts';
import {
  checkDatabase,
  checkDataDirectory,
  checkMail,
  checkPort,
  checkRecordings,
  checkSettings,
} from './service-checks.ts';

const marks: Record<Level, string> = { ok: '✓', warn: '!', fail: '✗' };
const colours: Record<Level, number> = { ok: 32, warn: 33, fail: 31 };

export interface DoctorOptions {
  json?: boolean;
  part?: Part | undefined;
  output?: { write(text: string): unknown; isTTY?: boolean };
}

/** Checks the machine and prints a line for each thing. Resolves to the exit code: 1 when something fails. */
export async function doctor(env: Environment, options: DoctorOptions = {}): Promise<number> {
  const { json = false, part, output = process.stdout } = options;
  const findings = await examine(env, part);
  if (json) output.write(`${JSON.stringify(findings, undefined, 2)}\n`);
  else for (const finding of findings) output.write(`${present(finding, output.isTTY === true)}\n`);
  return findings.some(({ level }) => level === 'fail') ? 1 : 0;
}

/** Without a word on it, a machine whose settings name gateways is a host's. */
export async function examine(
  env: Environment,
  part: Part = env['TURNPIKE_GATEWAY_URL'] ? 'host' : 'up',
  now = Date.now(),
): Promise<Finding[]> {
  const machine = [checkNode(), checkPlatform(), ...checkSettings(env, part)];
  const metricsPort = env['TURNPIKE_METRICS_PORT']
    ? [checkPort(env, 'TURNPIKE_METRICS_PORT', 'TURNPIKE_METRICS_BIND')]
    : [];
  const checks = { up: examineAll, gateway: examineGateway, host: examineHost, proxy: examineProxy };
  const findings = (await Promise.all([...machine, ...checks[part](env, now), ...metricsPort])).flat();
  // An invalid setting is found again by whatever would use it.
  return findings.filter(({ what }, index) => findings.findIndex((other) => other.what === what) === index);
}

type Checks = (Finding | Promise<Finding | Finding[]>)[];

function examineAll(env: Environment, now: number): Checks {
  return [
    ...examineBrowsers(env),
    checkPort(env, 'TURNPIKE_PORT'),
    checkPort(env, 'TURNPIKE_HOST_PORT'),
    checkPort(env, 'TURNPIKE_PROXY_PORT'),
    checkDataDirectory(env),
    checkDatabase(env),
    checkRecordings(env, join(dataDirectory(env), 'recordings')),
    ...examineMail(env),
    // Hosts may join it.
    ...(env['TURNPIKE_CLUSTER_SECRET'] ? examinePrivateSide(env, now) : []),
  ];
}

function examineGateway(env: Environment, now: number): Checks {
  return [
    checkPort(env, 'TURNPIKE_PORT'),
    ...examinePrivateSide(env, now),
    checkSecretKey(env),
    ...examineStore(env),
    checkRecordings(env),
    ...examineMail(env),
  ];
}

function examinePrivateSide(env: Environment, now: number): Checks {
  return [
    checkClusterSecret(env),
    checkClusterCertificates(env, 'gateway', now),
    checkPort(env, 'TURNPIKE_PRIVATE_PORT', 'TURNPIKE_PRIVATE_BIND'),
  ];
}

function examineHost(env: Environment, now: number): Checks {
  return [
    ...examineBrowsers(env, now),
    checkPort(env, 'TURNPIKE_HOST_PORT', 'TURNPIKE_HOST_BIND'),
    checkPort(env, 'TURNPIKE_HOST_PRIVATE_PORT', 'TURNPIKE_HOST_PRIVATE_BIND'),
    checkClusterSecret(env),
    checkClusterCertificates(env, 'host', now),
    checkGateways(env),
  ];
}

function examineProxy(env: Environment): Checks {
  return [checkPort(env, 'TURNPIKE_PROXY_PORT', 'TURNPIKE_PROXY_BIND'), ...examineStore(env)];
}

/** Without an SMTP server there is nothing to check: e-mail is not needed. */
const examineMail = (env: Environment): Checks => (env['TURNPIKE_SMTP_URL'] ? [checkMail(env)] : []);

/** Parts on machines of their own share a PostgreSQL. */
function examineStore(env: Environment): Checks {
  if (env['DATABASE_URL']) return [checkDatabase(env)];
  return [
    warn('DATABASE_URL is not set: only parts on this machine share its store', 'set it to a PostgreSQL'),
    checkDataDirectory(env),
  ];
}

/** What a host with these settings would do; with a time, one whose public side is its own. */
function examineBrowsers(env: Environment, now?: number): Checks {
  const programs = [checkUser(), checkDisplay(), checkFonts()];
  let config: HostConfig;
  try {
    config = readHostConfig(env);
  } catch (error) {
    if (!(error instanceof SettingError)) throw error;
    return [
      ...programs,
      fail(error.message, 'correct it; without Chromium: as root `apt-get install chromium`'),
    ];
  }
  return [
    ...programs,
    checkChromium(config.chromium),
    checkSandbox(config),
    checkInterfaces(config),
    checkChromiumSandbox(config),
    checkCaps(config),
    checkSwap(),
    checkMemory(config.seats),
    ...(now === undefined ? [] : [checkPublicCertificate(config, now)]),
  ];
}

function present({ level, what, advice }: Finding, colour: boolean): string {
  const mark = colour ? `\x1b[${colours[level]}m${marks[level]}\x1b[0m` : marks[level];
  return advice === undefined ? `${mark} ${what}` : `${mark} ${what}\n    → ${advice}`;
}
