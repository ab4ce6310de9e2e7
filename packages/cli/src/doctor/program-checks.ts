import { execFile } from 'node:child_process';
import { accessSync, constants, globSync, readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { type Finding, fail, ok, warn } from './finding.ts';

/** Debian's /usr/bin/chromium is a shell script around this. */
const chromium = '/usr/lib/chromium/chromium';
const run = promisify(execFile);

/** What a browser would be given, and no more. */
const sandbox = [
  '--unshare-all',
  '--die-with-parent',
  '--new-session',
  ...['--ro-bind', '/usr', '/usr'],
  ...['--symlink', 'usr/bin', '/bin', '--symlink', 'usr/lib', '/lib', '--symlink', 'usr/lib64', '/lib64'],
  ...['--ro-bind-try', '/etc/fonts', '/etc/fonts'],
  ...['--proc', '/proc', '--dev', '/dev', '--tmpfs', '/tmp'],
  ...['--clearenv', '--setenv', 'HOME', '/tmp', '--setenv', 'PATH', '/usr/bin'],
];

export async function checkChromium(path = chromium): Promise<Finding> {
  try {
    const { stdout } = await run(path, ['--version'], { timeout: 20_000, ...unprivileged() });
    return ok(`${stdout.trim().split(' ').slice(0, 2).join(' ')} at ${path}`);
  } catch (error) {
    const why = isMissing(error) ? 'is not there' : 'does not run';
    return fail(`Chromium ${why} (${path})`, aptGet('chromium'));
  }
}

export async function checkSandbox(): Promise<Finding> {
  try {
    await run('bwrap', [...sandbox, 'true'], { timeout: 10_000, ...unprivileged() });
    return ok('bubblewrap makes sandboxes');
  } catch (error) {
    if (isMissing(error)) return fail('bubblewrap is not there', aptGet('bubblewrap'));
    return fail(`bubblewrap makes no sandbox: ${firstLine(error)}`, namespaceAdvice());
  }
}

/** Chromium puts each page into namespaces of its own, inside ours. */
export async function checkChromiumSandbox(): Promise<Finding> {
  const flags = ['--headless', '--disable-gpu', '--user-data-dir=/tmp/profile', '--dump-dom', 'about:blank'];
  try {
    const options = { timeout: 20_000, killSignal: 'SIGKILL', ...unprivileged() } as const;
    const { stdout } = await run('bwrap', [...sandbox, chromium, ...flags], options);
    if (stdout.includes('<html>')) return ok('Chromium starts in the sandbox, with its own sandbox on');
    return fail('Chromium shows no page in the sandbox', 'see the lines on Chromium and bubblewrap');
  } catch (error) {
    return fail(`Chromium does not start in the sandbox: ${firstLine(error)}`, namespaceAdvice());
  }
}

export function checkDisplay(): Finding {
  if (findProgram('Xvnc', 'Xtigervnc')) return ok('Xvnc, for displays and the live view');
  return fail('Xvnc is not there', aptGet('tigervnc-standalone-server'));
}

export function checkSocat(): Finding {
  return findProgram('socat') ? ok('socat') : fail('socat is not there', aptGet('socat'));
}

export function checkFonts(root = '/usr/share/fonts'): Finding {
  const missing = [
    { package: 'fonts-liberation', pattern: '**/LiberationSans-Regular.*' },
    { package: 'fonts-dejavu-core', pattern: '**/DejaVuSans.*' },
    { package: 'fonts-noto-color-emoji', pattern: '**/NotoColorEmoji.*' },
  ].filter(({ pattern }) => globSync(pattern, { cwd: root }).length === 0);
  if (missing.length === 0) return ok('fonts for text and emoji');
  const packages = missing.map((font) => font.package);
  return warn(`fonts are missing: ${packages.join(', ')}`, aptGet(...packages));
}

/** Root is not what a browser runs as, and root would hide what only others may not do. */
function unprivileged(): { uid?: number; gid?: number; cwd: string } {
  return process.getuid?.() === 0 ? { uid: 65534, gid: 65534, cwd: '/' } : { cwd: '/' };
}

function findProgram(...names: string[]): string | undefined {
  return names
    .map((name) => `/usr/bin/${name}`)
    .find((path) => {
      try {
        accessSync(path, constants.X_OK);
        return true;
      } catch {
        return false;
      }
    });
}

function namespaceAdvice(): string {
  if (sysctl('kernel/unprivileged_userns_clone') === '0') {
    return 'allow user namespaces: `sysctl -w kernel.unprivileged_userns_clone=1`';
  }
  if (sysctl('user/max_user_namespaces') === '0') {
    return 'allow user namespaces: `sysctl -w user.max_user_namespaces=15000`';
  }
  if (sysctl('kernel/apparmor_restrict_unprivileged_userns') === '1') {
    return 'let AppArmor allow user namespaces: `sysctl -w kernel.apparmor_restrict_unprivileged_userns=0`';
  }
  return (
    'user namespaces must be allowed, and not in a chroot; in a Docker container that takes ' +
    '`--security-opt seccomp=unconfined --security-opt systempaths=unconfined`'
  );
}

function sysctl(name: string): string | undefined {
  try {
    return readFileSync(`/proc/sys/${name}`, 'utf8').trim();
  } catch {
    return undefined;
  }
}

const aptGet = (...packages: string[]) =>
  `as root: \`apt-get install ${packages.join(' ')}\`, or run \`scripts/setup\``;

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}

function firstLine(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if ('killed' in error && error.killed) return 'no answer in time';
  const stderr = 'stderr' in error ? String(error.stderr).trim() : '';
  return (stderr || error.message).split('\n')[0] ?? '';
}
