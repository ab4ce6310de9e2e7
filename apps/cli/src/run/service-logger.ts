import { createLogger } from '@turnpike/process/logger';
import { type Environment, setting } from '@turnpike/process/settings';
import { misspelling, unknownSettings } from '@turnpike/process/settings/unknown-settings';
import type { StatusLine } from '../terminal/status-line.ts';
import type { RunFlags } from './run-flags.ts';

/** Logs everything to a journal or file, and to a terminal only what went wrong: a person wants to keep what it shows. */
export function serviceLogger(
  env: Environment,
  status: StatusLine,
  { verbose = false }: RunFlags,
): ReturnType<typeof createLogger> {
  const usual = status.isTTY && !verbose ? 'warn' : 'info';
  const logger = createLogger(setting(env, 'TURNPIKE_LOG_LEVEL') ?? usual, status);
  for (const unknown of unknownSettings(env)) logger.warn(misspelling(unknown));
  return logger;
}
