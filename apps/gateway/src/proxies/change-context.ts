import type { ProxyUrl } from '@turnpike/tunnel/addresses/proxy-url';
import type { SessionProxies } from '../seams/session-proxies.ts';
import type { SessionContext } from '../sessions/session-context.ts';
import type { SessionRow } from '../store/tables.ts';
import type { ProxyContext } from './proxy-context.ts';

/** What a change of a session's proxy works with. */
export interface ChangeContext extends ProxyContext, Pick<SessionContext, 'findHost' | 'countBytes'> {
  proxies: SessionProxies;
  /** The product that bytes through a proxy count for; nothing, if they count elsewhere. */
  meteredAs(proxy: ProxyUrl): Partial<Pick<SessionRow, 'metered_product' | 'metered_country'>>;
}
