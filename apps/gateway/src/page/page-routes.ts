import type { PageAnswer } from '@turnpike/contract/page/page-call';
import { type PageFormat, pageFormats, rawFormats } from '@turnpike/contract/page/page-formats';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Claim } from '../creates/idempotency.ts';
import { type ParsedCreate, parseCreateOptions } from '../creates/parameters/parse-create.ts';
import { reconnectSession } from '../creates/reconnect-session.ts';
import { showWarnings } from '../http/answers/show-warnings.ts';
import { ApiError } from '../http/api-error.ts';
import { disconnectSignal } from '../http/client-disconnect.ts';
import { errorBody } from '../http/error-mapper.ts';
import { objectBody } from '../http/parse-with.ts';
import type { Routes } from '../http/routes.ts';
import type { Extraction } from '../models/ask-model.ts';
import { noteSession } from '../sessions/caller-session.ts';
import type { SessionRow } from '../store/tables.ts';
import { allowPageCalls } from './allow-page-calls.ts';
import { extractJson, readExtraction } from './extract-json.ts';
import { isPageError, keepAnswer, keptAnswer } from './kept-answers.ts';
import { type PageReply, presentPage, sendPage } from './page-answer.ts';
import { pageApi, pageFormatApi, pageJsonApi, pageQueryApi } from './page-api.ts';
import type { PageContext } from './page-context.ts';
import {
  type AskedFormats,
  type AskedPage,
  pageParameterNames,
  readPageBody,
  readPageQuery,
} from './read-page-request.ts';
import { callPage, runPage } from './run-page.ts';

/** A document of two mebibytes, with scripts and styles. */
const maxBodyBytes = 4 * 2 ** 20;

/** Formats that an image's address or a command line can ask for. */
const queriedFormats = ['screenshot', 'pdf', 'content'] as const satisfies PageFormat[];

/** One call, one page: loads a page in a session of its own, or takes a session's page as it stands, and reads it. */
export function pageRoutes(app: Routes, context: PageContext): void {
  app.post(
    '/api/page',
    { config: { auth: 'key-or-cookie', traced: true, maxBodyBytes, api: pageApi } },
    (request, reply) => answer(request, reply, () => readPageBody(objectBody(request), undefined)),
  );
  for (const format of pageFormats) {
    const asked: AskedFormats = { formats: [format], raw: rawFormats.some((name) => name === format) };
    app.post(
      `/api/page/${format}`,
      { config: { auth: 'key-or-cookie', traced: true, maxBodyBytes, api: pageFormatApi(format) } },
      (request, reply) => answer(request, reply, () => readPageBody(objectBody(request), asked)),
    );
    if (!queriedFormats.some((name) => name === format)) continue;
    app.get(
      `/api/page/${format}`,
      {
        // A HEAD would open a browser.
        exposeHeadRoute: false,
        config: { auth: 'key', keyInQuery: true, traced: true, api: pageQueryApi(format) },
      },
      (request, reply) =>
        answer(request, reply, () => readPageQuery(request.query as Record<string, unknown>, asked)),
    );
  }

  app.post(
    '/api/page/json',
    { config: { auth: 'key-or-cookie', traced: true, maxBodyBytes, api: pageJsonApi } },
    (request, reply) => {
      const extraction = () => readExtraction(objectBody(request));
      const read = () => ({ ...readPageBody(objectBody(request), asMarkdown), extraction: extraction() });
      return answer(request, reply, read);
    },
  );

  async function answer(
    request: FastifyRequest,
    reply: FastifyReply,
    read: () => AskedPage & { extraction?: Extraction },
  ): Promise<FastifyReply> {
    allowPageCalls(context, request.account);
    const disconnected = disconnectSignal(reply);
    const asked = readOrRule(read);
    if (!('rule' in asked) && asked.sessionId !== undefined) {
      const { session } = await reconnectSession(context, request.account, asked.sessionId);
      noteSession(request, session);
      using _slot = await context.pageSlots.take(request.account.id, disconnected);
      const loaded = await callPage(context, session, asked.call, disconnected);
      return sendPage(reply, await present(session, asked, loaded, disconnected));
    }
    const parsed: ParsedCreate =
      'rule' in asked
        ? { ok: false, error: asked.rule, warnings: [] }
        : parseCreateOptions(context, request, asked.options, {
            work: { ...asked.call, ...asked.extraction },
            otherNames: pageParameterNames,
          });
    showWarnings(reply, parsed.warnings);
    const claim = parsed.ok ? parsed.claim : undefined;
    const kept = claim && (await keptAnswer(context, claim));
    if (kept) return sendPage(reply.code(kept.status), kept);
    using _slot = await context.pageSlots.take(request.account.id, disconnected);
    // What is wrong with the request is told after the limits, as for any create.
    const work = 'rule' in asked ? nothing : asked;
    const { session, answer: loaded } = await runPage(context, request, disconnected, parsed, work.call);
    return await keeping(session, claim, reply, () => present(session, work, loaded, disconnected));
  }

  async function present(
    session: SessionRow,
    { call, extraction }: Pick<AskedPage, 'call'> & { extraction?: Extraction },
    loaded: PageAnswer,
    signal: AbortSignal,
  ): Promise<PageReply> {
    if (!extraction) return presentPage(session.id, loaded, call.raw);
    const extracted = await extractJson(context, session.account_id, extraction, loaded, signal);
    return presentPage(session.id, extracted, false);
  }

  /** Sends the answer, or the page's error, and keeps it if it may be asked for again. */
  async function keeping(
    session: SessionRow,
    claim: Claim | undefined,
    reply: FastifyReply,
    presenting: () => Promise<PageReply>,
  ): Promise<FastifyReply> {
    try {
      const presented = await presenting();
      if (claim) await keepAnswer(context, session, { status: 200, ...presented });
      return sendPage(reply, presented);
    } catch (error) {
      if (claim && error instanceof ApiError && isPageError(error.spec)) {
        const body = Buffer.from(JSON.stringify(errorBody(error)));
        const headers = {
          'content-type': 'application/json; charset=utf-8',
          'x-error-code': error.spec.code ?? '',
        };
        await keepAnswer(context, session, { status: error.spec.status, headers, body });
      }
      throw error;
    }
  }
}

const asMarkdown: AskedFormats = { formats: ['markdown'], raw: true };

const nothing = { call: { parameters: {}, formats: [], raw: false, timeoutMs: 0 } };

function readOrRule<T>(read: () => T): T | { rule: unknown } {
  try {
    return read();
  } catch (rule) {
    return { rule };
  }
}
