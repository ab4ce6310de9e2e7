import { parentPort, workerData } from 'node:worker_threads';
import Schema from 'typebox/schema';
import type { CheckJsonData, FromCheckThread } from './check-json.ts';

const { schema, value } = workerData as CheckJsonData;

function brokenRule(): string | undefined {
  try {
    const [isValid, errors] = Schema.Errors(schema, value);
    if (isValid) return undefined;
    const [first] = errors;
    return `${first?.instancePath || 'it'} ${first?.message ?? 'does not fit the schema'}`;
  } catch (error) {
    return `could not be checked by the schema: ${error instanceof Error ? error.message : error}`;
  }
}

const say = (message: FromCheckThread) => parentPort?.postMessage(message);

say('started');
say({ rule: brokenRule()?.slice(0, 500) });
