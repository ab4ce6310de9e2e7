import type { SessionProxies } from '../seams/session-proxies.ts';
import type { SessionContext } from '../sessions/session-context.ts';
import type { ProxyContext } from './proxy-context.ts';

/** What a change of a session's proxy works with. */
export interface ChangeContext extends ProxyContext, Pick<SessionContext, 'findHost' | 'countBytes'> {
  proxies: SessionProxies;
}
