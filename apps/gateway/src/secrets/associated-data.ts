/**
 * The associated data that each sealed value is bound to: its table, column and row. A value that is moved to another
 * row does not open there.
 */
export const associatedData = {
  statsToken: (accountId: string): string => `accounts.stats_token_sealed ${accountId}`,
  proxyPassword: (accountId: string): string => `accounts.proxy_password_sealed ${accountId}`,
  webhookSecret: (webhookId: string): string => `webhooks.secret_sealed ${webhookId}`,
  signingKey: (keyId: string): string => `signing_keys.private_key_sealed ${keyId}`,
  /** In the form that earlier versions used, so that what they sealed still opens. */
  savedProfile: (accountId: string, name: string): string => `saved profile ${accountId} ${name}`,
  savedCache: (accountId: string, name: string): string => `saved_caches.sealed ${accountId} ${name}`,
  extension: (accountId: string, id: string): string => `extensions.sealed ${accountId} ${id}`,
  snapshot: (accountId: string, id: string): string => `snapshots.sealed ${accountId} ${id}`,
  modelKey: (accountId: string): string => `model_endpoints.key_sealed ${accountId}`,
  savedProxyUrl: (id: string): string => `saved_proxies.url_sealed ${id}`,
  savedProxyClientKey: (id: string): string => `saved_proxies.client_key_sealed ${id}`,
  crawlPlan: (crawlId: string): string => `crawls.plan_sealed ${crawlId}`,
  crawlResult: (crawlId: string, number: number): string => `crawl_results.sealed ${crawlId} ${number}`,
  pageAnswer: (sessionId: string): string => `page_answers.sealed ${sessionId}`,
  /** An object in the storage of recordings. */
  recording: ({ sessionId, chunk, kind }: { sessionId: string; chunk: number; kind: string }): string =>
    `recordings ${sessionId} ${kind} ${chunk}`,
};
