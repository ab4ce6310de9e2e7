import type { Upstream } from '@turnpike/tunnel/upstream';
import { ProxyRecord } from '../forwarder/proxy-record.ts';
import type { Route, Routes } from '../forwarder/routes.ts';
import { TrafficLedger } from '../forwarder/traffic-ledger.ts';

/** For tests only: one proxy for everything. */
export function onlyRoute(upstream: Upstream): Routes {
  const route: Route = { upstream, record: new ProxyRecord(upstream.proxy, 0), owner: 'session' };
  return {
    ledger: new TrafficLedger(),
    refusal: undefined,
    find: () => route,
    close: () => upstream.close(),
  };
}
