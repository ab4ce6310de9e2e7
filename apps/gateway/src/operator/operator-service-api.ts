import {
  AuditQuery,
  NewOperator,
  NewOperatorToken,
  OperatorSessionsQuery,
} from '@turnpike/contract/dashboard/operator-pages';
import type { ApiErrorName } from '@turnpike/contract/error-help';
import { Type } from 'typebox';
import { type ApiDescription, json } from '../http/openapi/api-description.ts';

/** OpenAPI descriptions of an operator's routes for the service. */

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
  cursor: Type.Optional(Type.String({ description: '`nextCursor` of the previous page' })),
};

export const overviewApi = operation('getOverview', 'Read the state of the service', 'Current counts.');

const ofHost = { params: Type.Object({ name: Type.String({ description: "The host's name" }) }) };
export const hostsApi = operation('listHosts', 'List hosts', 'All hosts, lost ones too.');
export const hostActionApis = {
  drain: operation('drainHost', 'Drain a host', 'The host gets no new sessions. Running ones go on.', ofHost),
  undrain: operation('undrainHost', 'Undrain a host', 'The host gets new sessions again.', ofHost),
  remove: operation(
    'removeHost',
    'Remove a host',
    'The host is removed. It must be lost, or drained and empty.',
    ofHost,
  ),
};

const ofSession = {
  params: named('The session id'),
  errors: ['badRequest', 'sessionNotFound'] satisfies ApiErrorName[],
};
export const sessionsApi = operation(
  'searchSessions',
  'Find sessions of all accounts',
  'A page, newest first.',
  {
    query: OperatorSessionsQuery,
  },
);
export const sessionApi = operation(
  'getSession',
  "Read anyone's session",
  'The session, without its URLs.',
  ofSession,
);
export const closeSessionApi = operation(
  'endSession',
  'Close a session of any account',
  'The session, which has ended.',
  {
    ...ofSession,
    errors: [...ofSession.errors, 'closeRefused'],
  },
);

export const productsApi = operation(
  'getProducts',
  'Read bandwidth of all accounts',
  'Bytes by product, and the meters that report them.',
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
export const auditApi = operation('listAudit', 'Read the audit log', 'A page, newest first.', {
  query: AuditQuery,
});

export const tokensApi = operation(
  'listOperatorTokens',
  'List operator tokens',
  'All tokens, without the secrets.',
);
export const newTokenApi = operation(
  'createOperatorToken',
  'Make an operator token',
  'The token. It is shown only once.',
  {
    body: json(NewOperatorToken, { name: 'fleet' }),
  },
);
export const revokeTokenApi = operation(
  'revokeOperatorToken',
  'Revoke an operator token',
  'The token no longer works.',
  {
    params: named('The id of the token, `op_…`'),
  },
);

export const operatorsApi = operation('listOperators', 'List operators', 'All operators.');
export const newOperatorApi = operation('inviteOperator', 'Invite an operator', 'A link that works once.', {
  body: json(NewOperator, { email: 'ops@example.com' }),
});
export const removeOperatorApi = operation(
  'removeOperator',
  'Remove an operator',
  'The operator is removed and signed out.',
  {
    description: 'The last operator cannot be removed, and nobody can remove themselves.',
    params: named('The id of the operator'),
  },
);
