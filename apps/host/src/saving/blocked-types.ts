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

/**
 * What a service worker fetches for a page is of the type `Fetch`, whatever it is for, and a page's icon is `Other`.
 * These are told by Chromium's own `Accept` header or, where it has none of its own for a kind, by the file's name.
 */
const acceptOf: Partial<Record<TypeKind, RegExp>> = { images: /^image\//, stylesheets: /^text\/css/ };
const nameOf: Partial<Record<TypeKind, RegExp>> = {
  fonts: /\.(?:woff2?|ttf|otf|eot)$/i,
  media: /\.(?:mp4|m4[avs]|webm|mov|mp3|aac|flac|og[agv]|opus|wav|m3u8|mpd|ts)$/i,
};

/** The requests to pause. These alone, so that all others go on as ever, the HTTP cache included. */
export function typePatterns(
  kinds: readonly BlockKind[],
  targetType: string,
): Protocol.Fetch.RequestPattern[] {
  const types: ResourceType[] = kinds.filter(isTypeKind).map((kind) => typeOf[kind]);
  if (targetType === 'service_worker' && types.length > 0) types.push('Fetch');
  else if (kinds.includes('images')) types.push('Other');
  return types.map((resourceType) => ({ urlPattern: 'http*', resourceType }));
}

/** Which of the kinds a request is of, by its type. */
export function kindByType(
  kinds: readonly BlockKind[],
  { resourceType, request }: Protocol.Fetch.RequestPausedEvent,
  targetType: string,
): BlockKind | undefined {
  const types = kinds.filter(isTypeKind);
  const byType = types.find((kind) => typeOf[kind] === resourceType);
  const isUntold = targetType === 'service_worker' || resourceType === 'Other';
  if (byType !== undefined || !isUntold) return byType;
  const accept = request.headers['Accept'] ?? '';
  const path = URL.parse(request.url)?.pathname ?? '';
  return types.find((kind) => acceptOf[kind]?.test(accept) || nameOf[kind]?.test(path));
}
