import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { SettingError } from '@turnpike/process/settings';
import type { Part } from '@turnpike/process/settings/setting-table';

const directory = resolve(import.meta.dirname, '../../../..');

export interface InstallOptions {
  part: Part;
  /** Says what would be written, and writes nothing. */
  dryRun: boolean;
  /** The root below which files are written: another than `/` for packages and tests. */
  prefix: string;
}

interface File {
  path: string;
  text: string;
  mode: number;
  /** Belongs to the operator once it is there. */
  keep: boolean;
}

/** Writes a part's systemd unit, its settings and the `turnpike` command, and says what it did and what comes next. */
export function install({ part, dryRun, prefix }: InstallOptions): void {
  const unit = part === 'up' ? 'turnpike' : `turnpike-${part}`;
  const settings = part === 'up' ? 'turnpike' : part;
  const files: File[] = [
    {
      path: `/etc/systemd/system/${unit}.service`,
      text: template(`${unit}.service`),
      mode: 0o644,
      keep: false,
    },
    { path: `/etc/turnpike/${settings}.env`, text: template(`${settings}.env`), mode: 0o600, keep: true },
    { path: '/usr/local/bin/turnpike', text: template('command'), mode: 0o755, keep: false },
  ];
  // systemd opens it before it makes the state directory.
  if (part === 'up')
    files.push({ path: '/var/lib/turnpike/greeting.txt', text: '', mode: 0o600, keep: true });
  for (const file of files) {
    const action = decide(file, prefix);
    if (!dryRun && action !== 'kept' && action !== 'unchanged') write(file, prefix);
    console.log(`${dryRun ? 'would be ' : ''}${action}: ${join(prefix, file.path)}`);
  }
  console.log(nextSteps(unit, `/etc/turnpike/${settings}.env`, part));
}

function template(name: string): string {
  const path = join(directory, 'deploy/systemd', name);
  if (!existsSync(path))
    throw new SettingError(path, 'is missing. Run turnpike install in a checkout of the repository.');
  if (/\s/.test(directory + process.execPath))
    throw new SettingError(
      directory,
      'has a space in it, which a unit cannot name. Move it to /opt/turnpike.',
    );
  return readFileSync(path, 'utf8')
    .replaceAll('@DIRECTORY@', directory)
    .replaceAll('@NODE@', process.execPath);
}

function decide({ path, text, keep }: File, prefix: string): 'written' | 'replaced' | 'kept' | 'unchanged' {
  const target = join(prefix, path);
  if (!existsSync(target)) return 'written';
  if (keep) return 'kept';
  return readFileSync(target, 'utf8') === text ? 'unchanged' : 'replaced';
}

function write({ path, text, mode }: File, prefix: string): void {
  const target = join(prefix, path);
  mkdirSync(dirname(target), { recursive: true });
  writeFileSync(target, text, { mode });
  // Where the file was there already, or the umask is strict.
  chmodSync(target, mode);
}

function nextSteps(unit: string, settings: string, part: Part): string {
  const greeting =
    part === 'up' ? '  cat /var/lib/turnpike/greeting.txt  # the first secrets and links\n' : '';
  return `
Next:
  editor ${settings}
  turnpike doctor ${part}
  systemctl daemon-reload
  systemctl enable --now ${unit}
${greeting}Logs: journalctl -u ${unit}. Upgrade and uninstall: docs/deployment.md.`;
}
