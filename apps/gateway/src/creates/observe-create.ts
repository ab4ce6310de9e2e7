import { ApiError } from '../http/api-error.ts';
import type { CreateOutcome } from '../metrics/gateway-metrics.ts';
import type { CreateContext } from './create-context.ts';

/** Counts a create by its outcome, and times it. `signal` aborts when the client disconnects. */
export async function observeCreate<T>(
  { metrics, failures }: Pick<CreateContext, 'metrics' | 'failures'>,
  signal: AbortSignal,
  create: () => Promise<T>,
): Promise<T> {
  const startedAt = performance.now();
  const count = (outcome: CreateOutcome, code: string) =>
    metrics.create(outcome, code, (performance.now() - startedAt) / 1000);
  try {
    const opened = await create();
    if (signal.aborted) count('abandoned', '');
    else count('opened', '');
    return opened;
  } catch (error) {
    const spec = error instanceof ApiError ? error.spec : undefined;
    const status = spec?.status ?? 503; // An error without an answer in the contract is an outage of the store.
    const code = spec?.code ?? String(status);
    if (signal.aborted) count('abandoned', '');
    else {
      count(status < 500 ? 'refused' : 'failed', code);
      failures.count(code);
    }
    throw error;
  }
}
