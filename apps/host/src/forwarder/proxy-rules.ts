import type { ProxyRule, UpstreamProxy } from '@turnpike/contract/host';
import { hostMatcher, normalHost } from '@turnpike/tunnel/addresses/host-pattern';
import type { Target } from '@turnpike/tunnel/target';
import type { Route } from './routes.ts';

/** Finds the route of the first rule that names a destination. Undefined if none does. */
export type RuledRoute = (target: Target) => Route | undefined;

/**
 * Compiles rules about which destinations go through which proxy. A name costs as much as it has dots, for each rule.
 * Rules with equal proxies share a route.
 */
export function compileProxyRules(
  rules: readonly ProxyRule[],
  routeTo: (proxy: UpstreamProxy) => Route,
): RuledRoute {
  const routes = new Map<string, Route>();
  const sharedRoute = (proxy: UpstreamProxy) => {
    const key = JSON.stringify(proxy);
    const route = routes.get(key) ?? routeTo(proxy);
    routes.set(key, route);
    return route;
  };
  const compiled = rules.map(({ hosts, proxy }) => ({
    matches: hostMatcher(hosts),
    route: sharedRoute(proxy),
  }));
  return ({ host }) => {
    const normal = normalHost(host);
    return normal === undefined ? undefined : compiled.find(({ matches }) => matches(normal))?.route;
  };
}
