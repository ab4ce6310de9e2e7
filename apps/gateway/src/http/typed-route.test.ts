import type { RouteMap } from '@turnpike/contract/dashboard/routes';
import fastify from 'fastify';
import { Type } from 'typebox';
import { expect, test } from 'vitest';
import { exactNumber } from '../store/exact-json.ts';
import { readBodies } from './json-body.ts';
import { typedRoutes } from './typed-route.ts';

const map = {
  'GET /things/:id': {
    query: Type.Object({ text: Type.Optional(Type.String()) }),
    answer: Type.Object({ id: Type.String(), text: Type.String() }),
  },
  'POST /things': {
    body: Type.Object({ name: Type.String() }),
    answer: Type.Object({ name: Type.String() }),
  },
  'GET /total': { answer: Type.Object({ bytes: Type.Number() }) },
  'GET /file': { answer: Type.Unsafe<never>({}) },
} as const satisfies RouteMap;

const open = { config: { auth: 'none' } } as const;

test('routes are registered below the prefix, with params, query and body as the map has them', async () => {
  const app = fastify();
  readBodies(app, 1000);
  const { answer, answerExactly, send } = typedRoutes(app, map, '/api');
  answer('GET /things/:id', open, async ({ params, query }) => ({ id: params.id, text: String(query.text) }));
  answer('POST /things', open, async (_request, _reply, readBody) => ({ name: readBody().name }));
  answerExactly('GET /total', open, async () => ({ bytes: exactNumber('0.10') }));
  send('GET /file', open, async (_request, reply) => reply.type('text/csv').send('a,b\n'));

  expect((await app.inject('/api/things/7?text=x')).json()).toEqual({ id: '7', text: 'x' });
  const created = await app.inject({ method: 'POST', url: '/api/things', payload: { name: 'n', more: 1 } });
  expect(created.json()).toEqual({ name: 'n' });
  expect((await app.inject({ method: 'POST', url: '/api/things', payload: {} })).statusCode).not.toBe(200);
  expect((await app.inject('/api/total')).body).toBe('{"bytes":0.10}');
  expect((await app.inject('/api/file')).body).toBe('a,b\n');
  await app.close();
});

/** Checked by the compiler alone: every handler below disagrees with the map. */
export function wrongHandlers(): void {
  const { answer, answerExactly, send } = typedRoutes(fastify(), map, '/api');
  // @ts-expect-error there is no such route
  answer('GET /thing', open, async () => ({}));
  // @ts-expect-error the answer lacks `text`
  answer('GET /things/:id', open, async ({ params }) => ({ id: params.id }));
  // @ts-expect-error there is no such parameter
  answer('GET /things/:id', open, async ({ params }) => ({ id: params.name, text: '' }));
  // @ts-expect-error there is no such filter
  answer('GET /things/:id', open, async ({ query }) => ({ id: '', text: String(query.name) }));
  // @ts-expect-error an exact number needs `answerExactly`
  answer('GET /total', open, async () => ({ bytes: exactNumber('1') }));
  // @ts-expect-error the answer has another type
  answerExactly('GET /total', open, async () => ({ bytes: 'many' }));
  // @ts-expect-error it does not say who may call it
  send('GET /file', { config: {} }, async (_request, reply) => reply);
  // @ts-expect-error nor of a cookie whose
  send('GET /file', { config: { auth: 'cookie' } }, async (_request, reply) => reply);
  // @ts-expect-error the handler must send the reply
  send('GET /file', open, async () => 'a,b\n');
}
