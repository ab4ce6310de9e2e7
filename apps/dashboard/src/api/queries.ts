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
import type { Person } from '@turnpike/contract/dashboard';
import { ApiFailure, get, post, type Query, upload, withQuery } from './request.ts';

/** The key of who is signed in; null is nobody. */
export const meKey = ['/me'];

export function createQueryClient(): QueryClient {
  const signedOut = (error: unknown) => {
    if (error instanceof ApiFailure && error.status === 401) forgetEverything(client);
  };
  const client: QueryClient = new QueryClient({
    queryCache: new QueryCache({ onError: signedOut }),
    mutationCache: new MutationCache({ onError: signedOut }),
    defaultOptions: {
      queries: {
        staleTime: 1_000,
        // What was refused stays refused; what was not answered, or failed inside, is worth another try.
        retry: (count, error) =>
          count < 2 && error instanceof ApiFailure && (error.status === 0 || error.status >= 500),
      },
    },
  });
  return client;
}

/** Nothing of one person is left for the next. */
export function forgetEverything(client: QueryClient): void {
  client.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== meKey[0] });
  client.setQueryData(meKey, null);
}

export function useMe(): UseQueryResult<Person | null> {
  return useQuery({
    queryKey: meKey,
    queryFn: async ({ signal }) => {
      try {
        return await get<Person>('/me', signal);
      } catch (error) {
        if (error instanceof ApiFailure && error.status === 401) return null;
        throw error;
      }
    },
    staleTime: Number.POSITIVE_INFINITY,
  });
}

export interface GetOptions {
  query?: Query;
  /** Asks again this often while the page is looked at. */
  everyMs?: number;
  enabled?: boolean;
  /** Shows the former answer while the next is on its way. */
  keepPrevious?: boolean;
}

export function useGet<T>(
  path: string,
  { query, everyMs, enabled = true, keepPrevious = false }: GetOptions = {},
): UseQueryResult<T> {
  const address = withQuery(path, query);
  return useQuery({
    queryKey: [path, address],
    queryFn: ({ signal }) => get<T>(address, signal),
    enabled,
    ...(everyMs ? { refetchInterval: everyMs } : {}),
    ...(keepPrevious ? { placeholderData: keepPreviousData } : {}),
  });
}

/** A list with `nextCursor`, page after page. */
export function usePages<T extends { nextCursor: string | null }>(
  path: string,
  { query, everyMs }: GetOptions = {},
): UseInfiniteQueryResult<InfiniteData<T>> {
  return useInfiniteQuery({
    queryKey: [path, 'pages', withQuery(path, query)],
    queryFn: ({ signal, pageParam }) => get<T>(withQuery(path, { ...query, cursor: pageParam }), signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page: T) => page.nextCursor ?? undefined,
    // Other filters: what was there stays until the answer has come.
    placeholderData: keepPreviousData,
    ...(everyMs ? { refetchInterval: everyMs } : {}),
  });
}

/** A POST; what is asked for under the paths of `stale` is asked for again. */
export function usePost<Answer, Body = void>(
  path: string,
  { stale = [] }: { stale?: readonly string[] } = {},
): UseMutationResult<Answer, Error, Body> {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: Body) => post<Answer>(path, body ?? {}),
    onSuccess: () => askAgain(client, stale),
  });
}

/** Puts a file under its name below the path, which is then asked for again. */
export function useUpload<Answer>(path: string): UseMutationResult<Answer, Error, File> {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (file: File) => upload<Answer>(`${path}/${encodeURIComponent(file.name)}`, file),
    onSuccess: () => askAgain(client, [path]),
  });
}

async function askAgain(client: QueryClient, prefixes: readonly string[]): Promise<void> {
  await Promise.all(
    prefixes.map((prefix) =>
      client.invalidateQueries({ predicate: ({ queryKey }) => String(queryKey[0]).startsWith(prefix) }),
    ),
  );
}
