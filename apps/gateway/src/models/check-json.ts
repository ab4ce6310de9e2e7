import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

/** Longer than any honest schema takes, once the thread has started. */
const maxMs = 2000;
const startMs = 30_000;

export interface CheckJsonData {
  schema: object;
  value: unknown;
}

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
  try {
    await once(worker, 'message', { signal: AbortSignal.timeout(startMs) });
    const [rule] = (await once(worker, 'message', { signal: AbortSignal.timeout(maxMs) })) as [
      string | undefined,
    ];
    return rule;
  } catch {
    return `could not be checked by the schema within ${maxMs / 1000} seconds`;
  } finally {
    await worker.terminate();
  }
}
