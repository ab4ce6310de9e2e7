import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  call,
  someProxy as proxy,
  startGatewayOn,
  type TestAccount,
  type TestGateway,
} from '../../fixtures/gateway/gateway.ts';
import { closeServer, listen } from '../../fixtures/network/listen.ts';
import { watchLeaks } from '../../fixtures/suite/leaks.ts';

/** JSON of a page by an account's own model: a server here that answers as such an endpoint does. */

watchLeaks();

let gateway: TestGateway;
let account: TestAccount;
let model: Awaited<ReturnType<typeof startModel>>;
beforeEach(async () => {
  gateway = await startGatewayOn('sqlite', { webhookAllow: '127.0.0.0/8' });
  account = await gateway.account();
  model = await startModel();
});
afterEach(async () => {
  await gateway[Symbol.asyncDispose]();
  await model[Symbol.asyncDispose]();
});

async function startModel() {
  const asked: { authorization: string | undefined; path: string | undefined; body: any }[] = [];
  const state = { status: 200, content: '{"title":"A page"}' };
  const server = createServer(async (request, response) => {
    const body = JSON.parse(await text(request));
    asked.push({ authorization: request.headers.authorization, path: request.url, body });
    response.writeHead(state.status, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ choices: [{ message: { role: 'assistant', content: state.content } }] }));
  });
  const port = await listen(server);
  return {
    asked,
    state,
    url: `http://127.0.0.1:${port}/v1`,
    [Symbol.asyncDispose]: () => closeServer(server),
  };
}

const schema = {
  type: 'object',
  properties: { title: { type: 'string' } },
  required: ['title'],
  additionalProperties: false,
};
const put = (body: object) =>
  call(`${gateway.url}/user/api/model`, {
    method: 'PUT',
    headers: { 'x-api-key': account.key },
    body: JSON.stringify(body),
  });
const setModel = () => put({ url: model.url, model: 'some-model', key: 'sk-secret' });
const extract = (body: object = {}) =>
  account.post('/api/page/json', { url: 'https://example.com/', proxy, schema, ...body });

test('the account’s own model makes JSON of the page, and nobody else sees its key', async () => {
  expect((await setModel()).status).toBe(200);
  const { status, json } = await extract({ prompt: 'What is its title?' });
  expect(status).toBe(200);
  expect(json.results).toEqual({ json: { title: 'A page' } });
  const [asked] = model.asked;
  expect(asked).toMatchObject({
    authorization: 'Bearer sk-secret',
    path: '/v1/chat/completions',
    body: { model: 'some-model', response_format: { json_schema: { schema } } },
  });
  expect(asked?.body.messages[1].content).toContain('What is its title?');
  expect(asked?.body.messages[1].content).toContain('a page');
  expect(gateway.host.pageCalls[0]).toMatchObject({ formats: ['markdown'], raw: true });
  expect((await account.get('/user/api/model')).text).not.toContain('sk-secret');
  expect(gateway.logs.join()).not.toContain('sk-secret');
  const other = await gateway.account();
  expect((await other.get('/user/api/model')).json.code).toBe('NO_MODEL');
});

test('what does not fit the schema is an error with the model’s answer', async () => {
  await setModel();
  model.state.content = '{"name":"A page"}';
  const { status, json } = await extract();
  expect(status).toBe(422);
  expect(json).toMatchObject({ code: 'MODEL_ANSWER_INVALID', answer: '{"name":"A page"}' });
  model.state.content = 'I cannot.';
  expect((await extract()).json).toMatchObject({ code: 'MODEL_ANSWER_INVALID', answer: 'I cannot.' });
});

test('JSON inside a fence is JSON', async () => {
  await setModel();
  model.state.content = '```json\n{"title":"A"}\n```';
  expect((await extract()).json.results.json).toEqual({ title: 'A' });
});

test('a schema that takes for ever costs its call, and nobody else', async () => {
  await setModel();
  const pattern = '^(a+)+$';
  model.state.content = JSON.stringify({ title: `${'a'.repeat(40)}!` });
  const slow = extract({ schema: { type: 'object', properties: { title: { type: 'string', pattern } } } });
  await expect.poll(() => model.asked.length).toBe(1);
  expect((await call(`${gateway.url}/health`)).status).toBe(200);
  expect((await slow).json.code).toBe('MODEL_ANSWER_INVALID');
});

test('without a model, with one that fails and with one at a private address, it is said', async () => {
  expect((await extract()).json.code).toBe('NO_MODEL');
  await setModel();
  model.state.status = 401;
  expect((await extract()).json).toMatchObject({ code: 'MODEL_FAILED' });
  await put({ url: 'http://10.0.0.1/v1', model: 'm', key: 'k' });
  expect((await extract()).json.error).toContain('not public');
  expect((await extract({ schema: 'title' })).status).toBe(400);
  expect((await put({ url: 'file:///etc', model: 'm', key: 'k' })).status).toBe(400);
});
