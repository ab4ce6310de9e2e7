import { NewModelEndpoint } from '@turnpike/contract/page/model';
import { type ApiDescription, json } from '../http/openapi/api-description.ts';

/** OpenAPI descriptions of an account's model endpoint. */

const common = { tag: 'Pages', security: ['apiKey'] } as const;
const example = {
  url: 'https://models.example/v1',
  model: 'some-model',
  createdAt: '2026-11-18T12:00:00.000Z',
};

export const modelApi: ApiDescription = {
  ...common,
  id: 'getModel',
  summary: 'Read the model endpoint',
  answers: { 200: { description: 'Without its key.', example } },
  errors: ['noModel'],
};

export const putModelApi: ApiDescription = {
  ...common,
  id: 'putModel',
  summary: 'Set the model endpoint',
  description:
    'Your own endpoint, compatible with OpenAI, for `POST /api/page/json`. The service has no model of its own. The key ' +
    'is stored sealed and never shown again.',
  body: json(NewModelEndpoint, { url: example.url, model: example.model, key: 'sk-0123' }),
  answers: { 200: { description: 'It is used from now on.', example } },
  errors: ['badRequest'],
};

export const deleteModelApi: ApiDescription = {
  ...common,
  id: 'deleteModel',
  summary: 'Delete the model endpoint',
  answers: { 200: { description: 'There is none now.', example: { deleted: true } } },
  errors: [],
};
