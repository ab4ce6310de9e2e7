import { type Static, Type } from 'typebox';

/** The model endpoint of an account, which makes JSON of pages. Its key is not shown again. */
export const ModelEndpoint = Type.Object({
  url: Type.String({
    description: 'Base of an API that is compatible with OpenAI: `/chat/completions` is added',
  }),
  model: Type.String({ description: "The model's name" }),
  createdAt: Type.String({ format: 'date-time' }),
});
export type ModelEndpoint = Static<typeof ModelEndpoint>;

export const NewModelEndpoint = Type.Object({
  url: Type.String({ minLength: 1, maxLength: 1000, pattern: '^https?://' }),
  model: Type.String({ minLength: 1, maxLength: 200 }),
  key: Type.String({ minLength: 1, maxLength: 1000, pattern: '^[!-~]+$', description: 'Stored sealed' }),
});

export const DeletedModelEndpoint = Type.Object({ deleted: Type.Boolean() });
