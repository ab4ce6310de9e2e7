import type { PageCall } from '@turnpike/contract/page/page-call';
import { maxPageTimeoutMs } from '@turnpike/contract/page/page-request';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { RawParams } from '../creates/parameters/create-params.ts';
import { showWarnings } from '../http/answers/show-warnings.ts';
import { disconnectSignal } from '../http/client-disconnect.ts';
import { objectBody } from '../http/parse-with.ts';
import type { Routes } from '../http/routes.ts';
import { allowPageCalls } from '../page/allow-page-calls.ts';
import { presentPage, sendPage } from '../page/page-answer.ts';
import type { PageContext } from '../page/page-context.ts';
import { readPageBody } from '../page/read-page-request.ts';
import { runPage } from '../page/run-page.ts';
import { callPaths, tokenAccess, usualViewport } from './browserless-context.ts';
import { readLaunch } from './launch-options.ts';
import { parseLaunch } from './parse-launch.ts';
import { type PageCallName, pageCalls, readCallBody } from './read-call-body.ts';

/** A document of two mebibytes, with scripts and styles. */
const maxBodyBytes = 4 * 2 ** 20;

/** Browserless's calls for one page, as page calls. */
export function browserlessPageRoutes(app: Routes, context: PageContext): void {
  const config = { ...tokenAccess, traced: true, maxBodyBytes };
  for (const name of pageCalls) {
    for (const path of callPaths(name))
      app.post(path, { config }, (request, reply) => answer(name, request, reply));
  }

  async function answer(
    name: PageCallName,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<FastifyReply> {
    allowPageCalls(context, request.account);
    const disconnected = disconnectSignal(reply);
    const asked: Asked = { call: noCall, debug: false, warnings: [] };
    const parsed = parseLaunch(context, request, () => readCall(name, request, asked));
    using _slot = await context.pageSlots.take(request.account.id, disconnected);
    const { session, answer: loaded } = await runPage(context, request, disconnected, parsed, asked.call);
    const { report } = loaded;
    const presented = presentPage(session.id, loaded, true);
    reply.header('x-response-url', report.url.replace(/[^ -~]/g, '').slice(0, 1000));
    if (report.status !== undefined) reply.header('x-response-code', String(report.status));
    showWarnings(reply, [...asked.warnings, ...report.warnings]);
    if (name !== 'scrape') return sendPage(reply, presented);
    const debug = asked.debug ? `,"debug":${JSON.stringify({ console: report.consoleErrors })}` : '';
    // What the host made is JSON already, and may be large.
    const body = Buffer.concat([Buffer.from('{"data":'), presented.body, Buffer.from(`${debug}}`)]);
    return sendPage(reply, { ...presented, body });
  }
}

interface Asked {
  call: PageCall;
  debug: boolean;
  warnings: string[];
}

/** Of a request that is refused before its page is loaded. */
const noCall: PageCall = { parameters: {}, formats: [], raw: true, timeoutMs: 0 };

/** Reads a call into `asked`. Returns the parameters of its create, and throws the rule that it breaks. */
function readCall(name: PageCallName, request: FastifyRequest, asked: Asked): Record<string, unknown> {
  const launch = readLaunch(request.query as RawParams);
  const read = readCallBody(name, objectBody(request), launch.viewport ?? usualViewport);
  const { call, options } = readPageBody(
    { ...launch.create, ...read.parameters },
    { formats: [name], raw: true },
  );
  const { timeoutMs = call.timeoutMs } = launch;
  Object.assign(asked, {
    call: { ...call, timeoutMs: Math.min(timeoutMs, maxPageTimeoutMs) },
    debug: read.debug,
    warnings: [...launch.warnings, ...read.warnings],
  });
  return options;
}
