import type { Logger } from 'pino';
import { Counter, type Registry } from 'prom-client';

/** How each error is logged and counted: where it came from, in Node's words. */
const origins = ['uncaughtException', 'unhandledRejection'] as const;

/**
 * Keeps the process running after an error that no code caught: it is logged as fatal and counted, and everybody
 * else's connections go on. See docs/decisions/0026. Until it is disposed of.
 */
export function containEscapedErrors(logger: Logger, registry: Registry): Disposable {
  const counter = new Counter({
    name: 'turnpike_escaped_errors_total',
    help: 'Errors that no code caught. Each is a defect: the log has a fatal line with its stack.',
    registers: [registry],
  });
  const contain = (error: unknown, origin: string) => {
    counter.inc();
    // What throws while an error is logged would end the process after all.
    try {
      logger.fatal({ err: error, origin }, 'an error escaped; its connection may hang, all others go on');
    } catch {
      process.stderr.write('an error escaped, and could not be logged\n');
    }
  };
  const listeners = origins.map((origin) => {
    const listener = (error: unknown) => contain(error, origin);
    process.on(origin, listener);
    return () => process.off(origin, listener);
  });
  // Whoever read the log is gone. A fatal line about that would fail as well, and cause the next one.
  for (const output of outputs) output.on('error', ignore);
  return {
    [Symbol.dispose]() {
      for (const remove of listeners) remove();
      for (const output of outputs) output.off('error', ignore);
    },
  };
}

const outputs = [process.stdout, process.stderr];
const ignore = () => {};
