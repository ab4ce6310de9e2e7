import type { FastifyContextConfig, FastifyInstance } from 'fastify';
import { ApiError } from './api-error.ts';

interface KnownPath {
  url: string;
  methods: Set<string>;
  config: FastifyContextConfig;
}

/**
 * Paths that are registered from here on. The function that it answers is called after the last of them, and makes
 * each refuse the methods that it does not have: 405 with `Allow`, behind the same authentication as the path.
 */
export function otherMethods(app: FastifyInstance): () => void {
  const paths = new Map<string, KnownPath>();
  app.addHook('onRoute', ({ method, url, config = {} }) => {
    // Parameters may be called differently by routes of the same path.
    const key = url.replaceAll(/:\w+/g, ':');
    const known = paths.get(key) ?? { url, methods: new Set(), config };
    paths.set(key, known);
    for (const each of [method].flat()) known.methods.add(each);
  });
  return () => {
    for (const known of [...paths.values()]) refuseOthers(app, known);
  };
}

function refuseOthers(app: FastifyInstance, { url, methods, config }: KnownPath): void {
  const others = app.supportedMethods.filter((method) => !methods.has(method));
  // Interface B refuses by itself, for its tokens and its envelope.
  if (others.length === 0 || config.envelope) return;
  const allow = allowed(methods);
  app.route({
    method: others,
    url,
    config: { api: false, ...(config.open ? { open: true } : {}), keyInQuery: config.keyInQuery === true },
    handler: async (_request, reply) => {
      reply.header('allow', allow);
      throw new ApiError('methodNotAllowed');
    },
  });
}

const allowed = (methods: Iterable<string>): string => [...methods].sort().join(', ');
