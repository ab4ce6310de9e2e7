/** Where sealed values are kept: table, column and row. What is sealed for one place does not open in another. */
export const sealedPlaces = {
  statsToken: (accountId: string): string => `accounts.stats_token_sealed ${accountId}`,
  proxyPassword: (accountId: string): string => `accounts.proxy_password_sealed ${accountId}`,
  webhookSecret: (webhookId: string): string => `webhooks.secret_sealed ${webhookId}`,
  /** As earlier versions bound it, so that those open here too. */
  savedProfile: (accountId: string, name: string): string => `saved profile ${accountId} ${name}`,
};
