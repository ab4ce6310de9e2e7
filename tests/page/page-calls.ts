import type { PageAnswer, PageCall, PageValidators } from '@turnpike/contract/page/page-call';
import { newRequest, startTestHost, type TestHost } from '@turnpike/host/testing/test-host';
import { startSquid } from '../fixtures/network/squid.ts';
import { type PageSite, startPageSite } from './page-site.ts';

export type CallPage = (
  parameters: PageCall['parameters'],
  formats?: PageCall['formats'],
  more?: { raw?: boolean; timeoutMs?: number; validators?: PageValidators },
) => Promise<PageAnswer>;

export interface PageHost extends AsyncDisposable {
  site: PageSite;
  running: TestHost;
  /** Opens a session. What it gives makes calls of it. */
  open(): Promise<CallPage & { sessionId: string; url: string }>;
}

/** A host behind Squid, with the site of `page-site.ts`. */
export async function startPageHost(config: Parameters<typeof startTestHost>[0] = {}): Promise<PageHost> {
  await using undo = new AsyncDisposableStack();
  const site = undo.use(await startPageSite());
  const squid = undo.use(await startSquid());
  const running = undo.use(await startTestHost(config));
  const all = undo.move();
  return {
    site,
    running,
    async open() {
      const { sessionId, url } = await running.open(newRequest(squid.upstream));
      const call: CallPage = async (
        parameters,
        formats = ['content'],
        { raw = true, timeoutMs = 20_000, validators = {} } = {},
      ) => {
        const wanted = { parameters, formats, raw, timeoutMs, validators };
        const answer = await running.host.callPage(sessionId, wanted, new AbortController().signal);
        if (!answer) throw new Error('The host does not have the session');
        return answer;
      };
      return Object.assign(call, { sessionId, url });
    },
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}

/** The body as text of single bytes. */
export function bytesOf(answer: PageAnswer): string {
  if ('error' in answer) throw new Error(`${answer.error.code}: ${answer.error.message}`);
  return Buffer.from(answer.body).toString('latin1');
}

export const textOf = (answer: PageAnswer): string => Buffer.from(bytesOf(answer), 'latin1').toString();

export const codeOf = (answer: PageAnswer): string => ('error' in answer ? answer.error.code : 'no error');
