import { execFileSync } from 'node:child_process';

const known = new Map<string, string>();

/** The version that a Chromium program reports, such as 156.0.8078.79; undefined if it does not run. */
export function installedVersion(program: string): string | undefined {
  const version = known.get(program) ?? ask(program);
  if (version !== undefined) known.set(program, version);
  return version;
}

function ask(program: string): string | undefined {
  try {
    const answer = execFileSync(program, ['--version'], {
      timeout: 10_000,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    return /(?<!\d)\d+(?:\.\d+){3}/.exec(answer.toString())?.[0];
  } catch {
    return undefined;
  }
}
