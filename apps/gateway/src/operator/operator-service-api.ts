import {
  AuditQuery,
  NewOperator,
  NewOperatorToken,
  OperatorSessionsQuery,
} from '@turnpike/contract/dashboard/operator-pages';
import type { ApiErrorName } from '@turnpike/contract/error-help';
import { Type } from 'typebox';
import type { ApiDescription } from '../http/api-description.ts';

/** What the OpenAPI document says of an operator's routes on the service. */

const operation = (
  id: string,
  summary: string,
  answer: string,
  rest: Partial<ApiDescription> = {},
): ApiDescription => ({
  id,
  tag: 'Operator',
  security: ['operatorToken'],
  summary,
  answers: { 200: { description: answer } },
  errors: ['badRequest'],
  ...rest,
});

const named = (description: string) => Type.Object({ id: Type.String({ description }) });
const page = {
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, default: 50 })),
  cursor: Type.Optional(Type.String({ description: '`nextCursor` of the page before' })),
};
const json = (schema: Type.TSchema, example: unknown) => ({
  body: { required: true, content: { 'application/json': { schema, example } } },
});

export const overviewApi = operation('getOverview', 'Read the state of the service', 'Counts, as of now.');

const ofHost = { params: Type.Object({ name: Type.String({ description: "The host's name" }) }) };
export const hostsApi = operation('listHosts', 'List hosts', 'All that are known, lost ones too.');
export const hostActionApis = {
  drain: operation('drainHost', 'Give a host no new sessions', 'Those that run live out.', ofHost),
  undrain: operation('undrainHost', 'Give a host sessions again', 'It takes them from now on.', ofHost),
  remove: operation('removeHost', 'Forget a host', 'Only one that is lost, or drained and empty.', ofHost),
};

const ofSession = {
  params: named('The session id'),
  errors: ['badRequest', 'sessionNotFound'] satisfies ApiErrorName[],
};
export const sessionsApi = operation('searchSessions', "Find anyone's sessions", 'A page, newest first.', {
  query: OperatorSessionsQuery,
});
export const sessionApi = operation(
  'getSession',
  "Read anyone's session",
  'Without its addresses.',
  ofSession,
);
export const closeSessionApi = operation('endSession', "End anyone's session", 'It has ended.', {
  ...ofSession,
  errors: [...ofSession.errors, 'closeRefused'],
});

export const productsApi = operation(
  'getProducts',
  'Read bandwidth of all accounts',
  'By product; and who reports.',
);
export const ingestionApi = operation(
  'listIngestion',
  'See what usage came in',
  'Batches of the last 90 days, newest first.',
  {
    query: Type.Object({
      refused: Type.Optional(
        Type.Enum(['true', 'false'], { description: '`true`: only with refused records' }),
      ),
      ...page,
    }),
  },
);
export const auditApi = operation('listAudit', 'Read who did what', 'A page, newest first.', {
  query: AuditQuery,
});

export const tokensApi = operation(
  'listOperatorTokens',
  'List operator tokens',
  'Without the tokens themselves.',
);
export const newTokenApi = operation(
  'createOperatorToken',
  'Make an operator token',
  'The token, shown this once.',
  {
    ...json(NewOperatorToken, { name: 'fleet' }),
  },
);
export const revokeTokenApi = operation('revokeOperatorToken', 'Revoke an operator token', 'It is dead.', {
  params: named('The id of the token, `op_…`'),
});

export const operatorsApi = operation('listOperators', 'List operators', 'All who may sign in as one.');
export const newOperatorApi = operation(
  'inviteOperator',
  'Invite an operator',
  'The link, which works once.',
  {
    ...json(NewOperator, { email: 'ops@example.com' }),
  },
);
export const removeOperatorApi = operation('removeOperator', 'Remove an operator', 'They are signed out.', {
  description: 'Not the last one, and not oneself.',
  params: named('The id of the operator'),
});
