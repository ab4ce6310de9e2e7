import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type ApiErrorName, errorHelp } from '@turnpike/contract/error-help';
import { type ErrorSpec, errors } from '@turnpike/contract/errors';
import { Ajv2020 } from 'ajv/dist/2020.js';
import fastify from 'fastify';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { openApiDocument } from '../../apps/gateway/src/http/openapi/openapi.ts';
import { call, startGatewayOn, type TestGateway } from '../fixtures/gateway/gateway.ts';
import { violationsFile } from '../fixtures/suite/check-answers.ts';
import { watchLeaks } from '../fixtures/suite/leaks.ts';

watchLeaks();

const committed = readFileSync(join(import.meta.dirname, '../../docs/openapi.json'), 'utf8');

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGatewayOn('sqlite');
});
afterAll(() => gateway[Symbol.asyncDispose]());

describe('the document', () => {
  test('is served without a key, and is the committed one', async () => {
    const answer = await call(`${gateway.url}/openapi.json`);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([
      200,
      'application/json; charset=utf-8',
    ]);
    expect(answer.text).toBe(committed);
  });

  test('has every code of the API', () => {
    for (const name of Object.keys(errorHelp) as ApiErrorName[]) {
      const spec: ErrorSpec = errors[name];
      if (spec.code) expect(committed).toContain(spec.code);
    }
  });

  test('has only schemas that a validator can use, and references that lead somewhere', () => {
    const { components, paths } = JSON.parse(committed) as ReturnType<typeof openApiDocument>;
    const ajv = new Ajv2020({ strict: false, validateFormats: false });
    ajv.addSchema({ $id: 'document', components });
    for (const name of Object.keys(components.schemas)) {
      expect(ajv.getSchema(`document#/components/schemas/${name}`)).toBeTypeOf('function');
    }
    for (const [, name] of committed.matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
      expect(components.schemas).toHaveProperty(name ?? '');
    }
    const ids = Object.values(paths).flatMap((methods) => Object.values(methods).map((o) => o.operationId));
    expect(new Set(ids).size).toBe(ids.length);
  });

  test('has examples that its own schemas allow', () => {
    const { components, paths } = JSON.parse(committed) as ReturnType<typeof openApiDocument>;
    const ajv = new Ajv2020({ strict: false, validateFormats: false });
    ajv.addSchema({ $id: 'document', components });
    const media = Object.values(paths).flatMap((methods) =>
      Object.values(methods).flatMap(({ requestBody, responses }) => [
        ...Object.values(requestBody?.content ?? {}),
        ...Object.values(responses).flatMap(({ content = {} }) => Object.values(content)),
      ]),
    );
    const examples = media.filter(({ example }) => example !== undefined);
    expect(examples.length).toBeGreaterThan(10);
    for (const { schema, example } of examples) {
      const text = JSON.stringify(schema).replaceAll('"#/components/', '"document#/components/');
      const validate = ajv.compile(JSON.parse(text));
      expect(validate(example), `${JSON.stringify(example)}: ${ajv.errorsText(validate.errors)}`).toBe(true);
    }
  });
});

describe('the reference page', () => {
  test('has every operation', async () => {
    const page = await call(`${gateway.url}/docs/reference`);
    const { paths } = JSON.parse(committed) as ReturnType<typeof openApiDocument>;
    const operations = Object.values(paths).flatMap((methods) => Object.values(methods));
    const unseen = operations.filter(
      ({ operationId }) => !page.text.includes(`<article id="${operationId}">`),
    );
    expect(unseen.map(({ operationId }) => operationId)).toEqual([]);
  });
});

describe('answers of every test are checked:', () => {
  const violations = process.env[violationsFile] ?? '';

  /** What is noticed of an answer of a route that calls itself one of the gateway's. */
  async function noticed(
    status: number,
    body: unknown,
    headers: Record<string, string> = {},
  ): Promise<string> {
    const app = fastify({ exposeHeadRoutes: false });
    app.get('/connect', () => '');
    app.get('/user/api/limits', (_request, reply) => reply.code(status).headers(headers).send(body));
    await app.inject('/user/api/limits');
    await app.close();
    const lines = existsSync(violations) ? readFileSync(violations, 'utf8') : '';
    rmSync(violations, { force: true });
    return lines;
  }
  const record = { limit: 5, active: 0, remaining: 5, unlimited: false };

  test('one as documented passes', async () => expect(await noticed(200, record)).toBe(''));
  test('an undocumented status does not', async () =>
    expect(await noticed(418, { error: 'x' })).toContain('418: is not documented'));
  test('nor a missing member', async () =>
    expect(await noticed(200, { ...record, active: undefined })).toContain(
      "must have required property 'active'",
    ));
  test('nor an undocumented one', async () =>
    expect(await noticed(200, { ...record, more: 1 })).toContain('must NOT have additional properties'));
  test('nor another content type', async () =>
    expect(await noticed(200, 'five')).toContain('is text/plain, not application/json'));
  test('nor an undocumented header', async () =>
    expect(
      await noticed(503, { error: 'Service temporarily unavailable' }, { 'x-error-code': 'Y' }),
    ).toContain('x-error-code is not documented'));
});
