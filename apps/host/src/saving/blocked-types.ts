import type { BlockKind } from '@turnpike/contract/create-parameters';
import type { Protocol } from 'devtools-protocol';

type ResourceType = Protocol.Network.ResourceType;

/** The kinds that DevTools tells by a request's type. */
const typeOf = {
  images: 'Image',
  media: 'Media',
  fonts: 'Font',
  stylesheets: 'Stylesheet',
} as const satisfies Partial<Record<BlockKind, ResourceType>>;
type TypeKind = keyof typeof typeOf;

/** The kinds that filter lists tell. */
export type ListKind = Exclude<BlockKind, TypeKind>;

const isTypeKind = (kind: BlockKind): kind is TypeKind => kind in typeOf;
export const isListKind = (kind: BlockKind): kind is ListKind => !isTypeKind(kind);

/** Requests of these alone are paused, so that all others go on as ever, the HTTP cache included. */
const typePattern = (kind: TypeKind): Protocol.Fetch.RequestPattern => ({
  urlPattern: 'http*',
  resourceType: typeOf[kind],
});

/**
 * What a service worker fetches for a page is of the type `Fetch`, whatever it is for. Chromium's own `Accept` header
 * tells images and stylesheets; fonts and media have none of their own.
 */
const acceptOf: Partial<Record<TypeKind, RegExp>> = { images: /^image\//, stylesheets: /^text\/css/ };

export function typePatterns(
  kinds: readonly BlockKind[],
  targetType: string,
): Protocol.Fetch.RequestPattern[] {
  const types = kinds.filter(isTypeKind);
  const own = types.map(typePattern);
  const isPassing = targetType === 'service_worker' && types.some((kind) => acceptOf[kind]);
  return isPassing ? [...own, { urlPattern: 'http*', resourceType: 'Fetch' }] : own;
}

/** Which of the kinds a request is of, by its type. */
export function kindByType(
  kinds: readonly BlockKind[],
  { resourceType, request }: Protocol.Fetch.RequestPausedEvent,
  targetType: string,
): BlockKind | undefined {
  const accept = targetType === 'service_worker' ? (request.headers['Accept'] ?? '') : '';
  return kinds
    .filter(isTypeKind)
    .find((kind) => typeOf[kind] === resourceType || (accept !== '' && acceptOf[kind]?.test(accept)));
}
