/**
 * Lets the watchdog interrupt work in timers and immediates: Node checks the order of its asynchronous hooks there, and
 * ends the process when an interruption has left one out. Nothing here uses the hooks.
 */
export const interruptibleFlag = '--no-force-async-hooks-checks';

export function isInterruptible(): boolean {
  return (
    process.execArgv.includes(interruptibleFlag) ||
    (process.env['NODE_OPTIONS'] ?? '').split(/\s+/).includes(interruptibleFlag)
  );
}

/** Starts this program again in the same process, where it was started without what the watchdog needs. */
export function becomeInterruptible(): void {
  if (isInterruptible()) return;
  const { execPath, execArgv, argv, env } = process;
  process.execve?.(execPath, [execPath, interruptibleFlag, ...execArgv, ...argv.slice(1)], env);
}
