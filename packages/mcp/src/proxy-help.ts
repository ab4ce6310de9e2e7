/** What agents are told about a `proxy` that they may give. */
export const proxyHelp = (defaultProxy: string | undefined): string =>
  'http, https, socks5 or socks5h, as scheme://user:password@host:port; or name:<proxy> or pool:<pool> from list_proxies. ' +
  (defaultProxy
    ? 'Leave it out to use the configured proxy.'
    : "Leave it out to use the account's default, if list_proxies shows one.");
