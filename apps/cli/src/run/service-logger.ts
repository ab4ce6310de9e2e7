import { createLogger, logLevels } from '@turnpike/process/logger';
import { choiceSetting, type Environment } from '@turnpike/process/settings';
import type { StatusLine } from '../terminal/status-line.ts';
import type { RunFlags } from './run-flags.ts';

/** Logs everything to a journal or file, and to a terminal only what went wrong: a person wants to keep what it shows. */
export function serviceLogger(
  env: Environment,
  status: StatusLine,
  { verbose = false }: RunFlags,
): ReturnType<typeof createLogger> {
  const usual = status.isTTY && !verbose ? 'warn' : 'info';
  return createLogger(choiceSetting(env, 'TURNPIKE_LOG_LEVEL', logLevels, usual), status);
}
