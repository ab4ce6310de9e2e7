/** What a create says about its proxy, as it was typed. The names are the API's. */
export const proxyNames = ['proxy', 'proxy_key', 'proxy_country'] as const;
export type ProxyName = (typeof proxyNames)[number];
export type ProxyValues = Readonly<Record<ProxyName, string>>;

export const noProxy: ProxyValues = { proxy: '', proxy_key: '', proxy_country: '' };

/** What is sent of it: what is empty is left out, so that the account's default applies. */
export function proxyParams(values: ProxyValues): Partial<ProxyValues> {
  return Object.fromEntries(
    proxyNames.flatMap((name) => (values[name].trim() === '' ? [] : [[name, values[name].trim()]])),
  );
}
