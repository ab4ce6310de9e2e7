import fastJsonStringify from 'fast-json-stringify';
import type { FastifySerializerCompiler } from 'fastify';

type Serializer = ReturnType<FastifySerializerCompiler<object>>;

const serializers = new WeakMap<object, Serializer>();

/** Builds a serializer once for each schema: building takes milliseconds, and many routes have the same answers. */
export const serializerFor: FastifySerializerCompiler<object> = ({ schema }) => {
  const known = serializers.get(schema);
  if (known) return known;
  const built: Serializer = fastJsonStringify(schema);
  serializers.set(schema, built);
  return built;
};
