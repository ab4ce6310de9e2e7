import type { FastifyContextConfig, FastifyInstance } from 'fastify';
import { ApiError } from './api-error.ts';

interface KnownPath {
  url: string;
  methods: Set<string>;
  config: FastifyContextConfig;
}

/**
 * Collects the paths that are registered after this call. Call the returned function after the last route: it makes
 * each path refuse the methods that it does not have, with 405 and `Allow`, behind the path's own authentication.
 */
export function otherMethods(app: FastifyInstance): () => void {
  const paths = new Map<string, KnownPath>();
  app.addHook('onRoute', ({ method, url, config }) => {
    if (!config) return;
    // Routes of the same path may name their parameters differently.
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
  // Interface B refuses by itself, with its tokens and its envelope.
  if (others.length === 0 || config.envelope) return;
  const allow = allowed(methods);
  // Who has no key may learn which methods there are: they are in the guides.
  const auth = config.auth === 'key' || config.auth === 'key-or-cookie' ? config.auth : 'none';
  app.route({
    method: others,
    url,
    config: { auth, api: false, keyInQuery: config.keyInQuery === true },
    handler: async (_request, reply) => {
      reply.header('allow', allow);
      throw new ApiError('methodNotAllowed');
    },
  });
}

const allowed = (methods: Iterable<string>): string => [...methods].sort().join(', ');
