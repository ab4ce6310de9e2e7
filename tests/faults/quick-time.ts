import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/**
 * Preloaded (`--import`) into the parts of a fault run, it shortens the product's constants of time as they are
 * read, so that a lease lapses in three seconds, not ten, and a run takes seconds. Proportions stay as they are. It
 * is done from outside because the product has no use for such settings.
 */
interface Constant {
  file: string;
  from: string;
  to: string;
}

export const quick = { heartbeatMs: 600, leaseMs: 3000, minBilledSeconds: 1 };

const root = join(import.meta.dirname, '../..');
const constants: readonly Constant[] = [
  constant(
    'packages/contract/src/host/heartbeat.ts',
    'heartbeatMs = 2000',
    `heartbeatMs = ${quick.heartbeatMs}`,
  ),
  constant('packages/contract/src/host/heartbeat.ts', 'leaseMs = 10_000', `leaseMs = ${quick.leaseMs}`),
  // Sessions that expire within a run.
  constant('packages/contract/src/create-parameters.ts', 'min: 120,', 'min: 1,'),
  // So that bills differ.
  constant(
    'apps/gateway/src/sessions/session.ts',
    'minBilledSeconds = 30',
    `minBilledSeconds = ${quick.minBilledSeconds}`,
  ),
  constant('apps/gateway/src/creates/starting-session.ts', 'reapGraceMs = 5000', 'reapGraceMs = 1500'),
  constant('apps/gateway/src/sessions/session-reaper.ts', 'expiryGraceMs = 5000', 'expiryGraceMs = 1500'),
  constant(
    'apps/gateway/src/sessions/settle-heartbeat.ts',
    'reconcileAfterMs = 5000',
    'reconcileAfterMs = 1500',
  ),
  constant('packages/cluster/src/membership.ts', 'retryMs = 1000', 'retryMs = 300'),
  constant('apps/host/src/cluster/lease-thread.ts', 'minTryMs = 1000', 'minTryMs = 300'),
];

function constant(file: string, from: string, to: string): Constant {
  return { file: pathToFileURL(join(root, file)).href, from, to };
}

/** Every constant must be where it is looked for: a run at full length would find nothing. */
export function missingConstants(): string[] {
  return constants
    .filter(({ file, from }) => !readFileSync(new URL(file), 'utf8').includes(from))
    .map(({ file, from }) => `${from} in ${file}`);
}

export const preloadQuickTime = { NODE_OPTIONS: `--import=${import.meta.url}` };

if (process.env['NODE_OPTIONS']?.includes(import.meta.url)) {
  registerHooks({
    load(url, context, nextLoad) {
      const loaded = nextLoad(url, context);
      const wanted = constants.filter(({ file }) => file === url);
      if (wanted.length === 0) return loaded;
      const source = wanted.reduce((text, { from, to }) => text.replace(from, to), `${loaded.source}`);
      return { ...loaded, source };
    },
  });
}
