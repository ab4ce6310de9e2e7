import type { ProxyEventType, SessionProxyEventType } from '@turnpike/contract/events';
import type { ProxyState } from '@turnpike/contract/proxies';
import type { ProxyFailureCause } from '@turnpike/contract/traffic';

/** What saved proxies, and sessions about their proxies, tell events. No part of it may have a password. */

interface ExitChange {
  /** `name:<saved proxy>`, or a URL with a masked password. */
  proxy: string;
  exitIp: string;
  exitCountry: string | null;
  /** Null: it was not known. */
  previousExitIp: string | null;
}

/** A change of a saved proxy. */
export type ProxyFact = { kind: 'proxy'; accountId: string; at: number } & (
  | {
      type: Exclude<ProxyEventType, 'proxy.exit_changed'>;
      data: {
        /** `name:<saved proxy>`. */
        proxy: string;
        state: ProxyState;
        /** How it failed, for a person. Null: it works. */
        error: string | null;
      };
    }
  | { type: 'proxy.exit_changed'; data: ExitChange }
);

/** What a session that runs has seen of a proxy. */
export type SessionProxyFact = {
  kind: 'session_proxy';
  accountId: string;
  sessionId: string;
  at: number;
} & (
  | {
      type: Exclude<SessionProxyEventType, 'session.exit_changed'>;
      data: {
        proxy: string;
        cause: ProxyFailureCause;
        /** Connections through it that failed so, and all that were tried, until now. */
        failures: number;
        connections: number;
      };
    }
  | { type: 'session.exit_changed'; data: ExitChange }
);
