import { type Static, Type } from 'typebox';

/** Parts that the dashboard's answers share. */

export const Timestamp = Type.String({ format: 'date-time' });
export const Day = Type.String({ format: 'date' });
export const nullable = <T extends Type.TSchema>(schema: T) => Type.Union([schema, Type.Null()]);
export const NextCursor = nullable(Type.String());

/** Which part of a list to answer. Lists are newest first. */
export const PageQuery = {
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200 })),
  cursor: Type.Optional(Type.String()),
};

export const SearchText = Type.String({ maxLength: 200 });

/** An error, as in the sessions API, with the field of the request that it is about where that is known. */
export const Failure = Type.Object({
  error: Type.String(),
  code: Type.Optional(Type.String()),
  detail: Type.Optional(Type.String()),
  field: Type.Optional(Type.String()),
});
export type Failure = Static<typeof Failure>;

/** The answer of a POST that has nothing to return. */
export const Done = Type.Object({ done: Type.Literal(true) });
export type Done = Static<typeof Done>;
