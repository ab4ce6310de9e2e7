import { type ScriptAnswer, type ScriptCall, scriptKinds } from '@turnpike/contract/page/script';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { showWarnings } from '../http/answers/show-warnings.ts';
import { ApiError } from '../http/api-error.ts';
import { disconnectSignal } from '../http/client-disconnect.ts';
import type { Routes } from '../http/routes.ts';
import { allowPageCalls } from '../page/allow-page-calls.ts';
import { contentHeaders, sendPage } from '../page/page-answer.ts';
import type { PageContext } from '../page/page-context.ts';
import { inOwnSession } from '../page/run-page.ts';
import type { SessionRow } from '../store/tables.ts';
import { callPaths, tokenAccess } from './browserless-context.ts';
import { parseLaunch } from './parse-launch.ts';
import { type AskedScript, readScript } from './read-script.ts';

/** A script of the largest size in JSON, with its context. */
const maxBodyBytes = 3 * 2 ** 20;

/** Browserless's calls that run a script of the caller's, or Lighthouse. They run in the session's sandbox. */
export function browserlessScriptRoutes(app: Routes, context: PageContext): void {
  const config = { ...tokenAccess, traced: true, maxBodyBytes };
  for (const kind of scriptKinds) {
    for (const path of callPaths(kind))
      app.post(path, { config }, (request, reply) => answer(request, reply, () => readScript(kind, request)));
  }

  async function answer(
    request: FastifyRequest,
    reply: FastifyReply,
    read: () => AskedScript,
  ): Promise<FastifyReply> {
    allowPageCalls(context, request.account);
    const disconnected = disconnectSignal(reply);
    let asked: AskedScript | undefined;
    const parsed = parseLaunch(context, request, () => {
      asked = read();
      return asked.options;
    });
    using _slot = await context.pageSlots.take(request.account.id, disconnected);
    const { session, answer: answered } = await inOwnSession(context, request, disconnected, parsed, (own) =>
      runScript(own, (asked as AskedScript).call, disconnected),
    );
    if ('error' in answered) {
      const { code, message } = answered.error;
      throw new ApiError(code === 'SCRIPT_TIMEOUT' ? 'scriptTimeout' : 'scriptFailed', { message });
    }
    showWarnings(reply, asked?.warnings ?? []);
    const { type, body, fileName } = answered;
    const headers = { 'content-type': type, 'x-session-id': session.id, ...contentHeaders(type, fileName) };
    return sendPage(reply, { headers, body });
  }

  async function runScript(
    session: SessionRow,
    call: ScriptCall,
    signal: AbortSignal,
  ): Promise<ScriptAnswer> {
    const host = await context.findHost(session.host, session.host_boot);
    const answered = await host?.runScript(session.id, call, signal);
    if (!answered) throw new ApiError('pageSessionLost');
    return answered;
  }
}
