import {
  type InfiniteData,
  keepPreviousData,
  MutationCache,
  QueryCache,
  QueryClient,
  type UseInfiniteQueryResult,
  type UseMutationResult,
  type UseQueryResult,
  useInfiniteQuery,
  useMutation,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query';
import type { FileName } from '@turnpike/contract/dashboard/account-pages';
import type { Person } from '@turnpike/contract/dashboard/people';
import type { Extension } from '@turnpike/contract/extension';
import type { CloseResult } from '@turnpike/contract/session';
import {
  ApiFailure,
  addressOf,
  type ChangeAnswer,
  type ChangeBody,
  type ChangeRoute,
  change,
  type DeleteAnswer,
  type DeletePath,
  fillPath,
  type GetAnswer,
  type GetPath,
  type GetRequest,
  get,
  type Optional,
  type Params,
  type PostAnswer,
  type PostBody,
  type PostPath,
  type PostRequest,
  post,
  remove,
  upload,
} from './request.ts';

/** The query key of the signed-in person; its value is null when nobody is signed in. */
export const meKey = ['/me'];

export function createQueryClient(): QueryClient {
  const signedOut = (error: unknown) => {
    if (error instanceof ApiFailure && error.status === 401) clearCache(client);
  };
  const client: QueryClient = new QueryClient({
    queryCache: new QueryCache({ onError: signedOut }),
    mutationCache: new MutationCache({ onError: signedOut }),
    defaultOptions: {
      queries: {
        staleTime: 1_000,
        // Retry when there was no answer or the gateway failed; a refusal stays a refusal.
        retry: (count, error) =>
          count < 2 && error instanceof ApiFailure && (error.status === 0 || error.status >= 500),
      },
    },
  });
  return client;
}

/** Clears the cache at sign-out, so that the next person sees nothing of this one. */
export function clearCache(client: QueryClient): void {
  client.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== meKey[0] });
  client.setQueryData(meKey, null);
  // A key that the guides show in samples.
  sessionStorage.removeItem('turnpike-samples');
}

export function useMe(): UseQueryResult<Person | null> {
  return useQuery({
    queryKey: meKey,
    queryFn: async ({ signal }) => {
      try {
        return await get('/me', {}, signal);
      } catch (error) {
        if (error instanceof ApiFailure && error.status === 401) return null;
        throw error;
      }
    },
    staleTime: Number.POSITIVE_INFINITY,
  });
}

interface Refresh {
  /** Asks again this often while the page is visible. */
  everyMs?: number;
}

interface GetOptions extends Refresh {
  enabled?: boolean;
  /** Shows the previous answer until the next one arrives. */
  keepPrevious?: boolean;
}

export function useGet<Path extends GetPath>(
  path: Path,
  ...[options]: Optional<GetRequest<Path> & GetOptions>
): UseQueryResult<GetAnswer<Path>> {
  const { everyMs, enabled = true, keepPrevious = false }: GetOptions = options ?? {};
  return useQuery({
    queryKey: [fillPath(path, options), addressOf(path, options)],
    queryFn: ({ signal }) => get(path, options as GetRequest<Path>, signal),
    enabled,
    ...(everyMs ? { refetchInterval: everyMs } : {}),
    ...(keepPrevious ? { placeholderData: keepPreviousData } : {}),
  });
}

/** Routes that answer a list page by page. */
type PagedPath = {
  [Path in GetPath]: GetAnswer<Path> extends { nextCursor: string | null } ? Path : never;
}[GetPath];

export type PagesResult<Path extends PagedPath> = UseInfiniteQueryResult<InfiniteData<GetAnswer<Path>>>;

/** A list with `nextCursor`, page after page. */
export function usePages<Path extends PagedPath>(
  path: Path,
  { everyMs, ...options }: GetRequest<Path> & Refresh,
): PagesResult<Path> {
  const { query } = options as { query?: object };
  return useInfiniteQuery({
    queryKey: [fillPath(path, options), 'pages', addressOf(path, options)],
    queryFn: ({ signal, pageParam }) =>
      get(
        path,
        { ...options, query: { ...query, cursor: pageParam } } as unknown as GetRequest<Path>,
        signal,
      ),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page: GetAnswer<Path>) =>
      (page as { nextCursor: string | null }).nextCursor ?? undefined,
    // When the filters change, the old rows stay until the new ones arrive.
    placeholderData: keepPreviousData,
    ...(everyMs ? { refetchInterval: everyMs } : {}),
  });
}

/** Sends a POST, then refreshes what was read below the paths of `stale`. */
export function usePost<Path extends PostPath>(
  path: Path,
  ...[options]: Optional<Params<Path> & { stale?: readonly GetPath[] }>
): UseMutationResult<PostAnswer<Path>, Error, PostBody<Path>> {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: PostBody<Path>) =>
      post(path, ...([{ ...options, body }] as unknown as Optional<PostRequest<Path>>)),
    onSuccess: () => refresh(client, options?.stale ?? []),
  });
}

/** Sends a PUT or a PATCH, then refreshes what was read below the paths of `stale`. */
export function useChange<Route extends ChangeRoute>(
  route: Route,
  { stale, ...options }: Params<Route> & { stale: readonly GetPath[] },
): UseMutationResult<ChangeAnswer<Route>, Error, ChangeBody<Route>> {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: ChangeBody<Route>) => change(route, options as unknown as Params<Route>, body),
    onSuccess: () => refresh(client, stale),
  });
}

/** Sends a DELETE, then refreshes what was read below the paths of `stale`. */
export function useDelete<Path extends DeletePath>(
  path: Path,
  { stale, ...options }: Params<Path> & { stale: readonly GetPath[] },
): UseMutationResult<DeleteAnswer<Path>, Error, undefined> {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => remove(path, options as unknown as Params<Path>),
    onSuccess: () => refresh(client, stale),
  });
}

/** Closes a session, and refreshes what shows it. */
export function useClose(sessionId: string): UseMutationResult<CloseResult, Error, undefined> {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => post('/api/browser/close', { body: { browserId: sessionId } }),
    onSuccess: () => refresh(client, ['/sessions', '/running', '/overview']),
  });
}

/** Uploads a file to a session, and refreshes its list of files. */
export function useUpload(sessionId: string): UseMutationResult<FileName, Error, File> {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (file: File) =>
      upload('/sessions/:id/files/:name', { params: { id: sessionId, name: file.name } }, file),
    onSuccess: () => refresh(client, ['/sessions']),
  });
}

/** Uploads an extension, and refreshes the list. */
export function useExtensionUpload(): UseMutationResult<Extension, Error, File> {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (file: File) => upload('/user/api/extensions', {}, file),
    onSuccess: () => refresh(client, ['/user/api/extensions']),
  });
}

async function refresh(client: QueryClient, prefixes: readonly GetPath[]): Promise<void> {
  await Promise.all(
    prefixes.map((prefix) =>
      client.invalidateQueries({ predicate: ({ queryKey }) => String(queryKey[0]).startsWith(prefix) }),
    ),
  );
}
