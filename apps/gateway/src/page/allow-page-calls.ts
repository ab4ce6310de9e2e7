import { ApiError } from '../http/api-error.ts';
import type { AccountRow } from '../store/tables.ts';

/** Throws if the operator or the account itself has turned page calls off, and so crawls. */
export function allowPageCalls(
  { pageCalls }: { pageCalls: boolean },
  account: Pick<AccountRow, 'page_calls'>,
): void {
  if (!pageCalls) throw new ApiError('pageCallsOff');
  if (account.page_calls === 0)
    throw new ApiError('pageCallsOff', {
      message:
        'Your account has turned page calls off. Turn them on with POST /user/api/settings, or in the dashboard on ' +
        'the page "Read a page".',
    });
}
