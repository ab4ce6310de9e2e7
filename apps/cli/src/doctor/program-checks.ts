import { execFile } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { promisify } from 'node:util';
import { missingFontPackages, unprivileged } from '@turnpike/host/doctor';
import { type Finding, fail, ok, warn } from './finding.ts';

const run = promisify(execFile);

export async function checkChromium(path: string): Promise<Finding> {
  try {
    const { stdout } = await run(path, ['--version'], { timeout: 20_000, cwd: '/', ...unprivileged() });
    return ok(`${stdout.trim().split(' ').slice(0, 2).join(' ')} at ${path}`);
  } catch (error) {
    const why = isMissing(error) ? 'is not there' : 'does not run';
    return fail(`Chromium ${why} (${path})`, aptGet('chromium'));
  }
}

export function checkDisplay(): Finding {
  if (findProgram('Xvnc', 'Xtigervnc')) return ok('Xvnc, for displays and the live view');
  return fail('Xvnc is not there', aptGet('tigervnc-standalone-server'));
}

export function checkFonts(root?: string): Finding {
  const packages = missingFontPackages(root);
  if (packages.length === 0) return ok('fonts for text and emoji, and for every claimed system');
  return warn(`fonts are missing: ${packages.join(', ')}`, aptGet(...packages));
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

const aptGet = (...packages: string[]) =>
  `as root: \`apt-get install ${packages.join(' ')}\`, or run \`scripts/setup\``;

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}
