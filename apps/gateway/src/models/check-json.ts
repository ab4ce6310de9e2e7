import { Worker } from 'node:worker_threads';

/** Longer than any honest schema takes, once the thread has started. */
const maxMs = 2000;
const startMs = 30_000;

export interface CheckJsonData {
  schema: object;
  value: unknown;
}

/** What the thread says: that it has started, then the rule that the value breaks. */
export type FromCheckThread = 'started' | { rule: string | undefined };

/**
 * Checks a value by an account's schema, in a thread of its own: a schema may have patterns and references that take for
 * ever. Returns the rule that it breaks.
 */
export async function checkJson(schema: object, value: unknown): Promise<string | undefined> {
  const worker = new Worker(new URL('./check-json-worker.ts', import.meta.url), {
    workerData: { schema, value } satisfies CheckJsonData,
    name: 'check-json',
    execArgv: [],
    env: {},
    resourceLimits: { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 16 },
  });
  const { promise, resolve } = Promise.withResolvers<string | undefined>();
  const giveUp = () => resolve('could not be checked by the schema in time');
  let timer = setTimeout(giveUp, startMs);
  worker.on('message', (message: FromCheckThread) => {
    clearTimeout(timer);
    if (message === 'started') timer = setTimeout(giveUp, maxMs);
    else resolve(message.rule);
  });
  worker.on('error', (error) => resolve(`could not be checked by the schema: ${error}`));
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    await worker.terminate();
  }
}
