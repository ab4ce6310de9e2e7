import type { ProxyPolicy } from '@turnpike/contract/proxies';

export const policyNames: Readonly<Record<ProxyPolicy, string>> = {
  round_robin: 'Round robin',
  least_sessions: 'Fewest sessions',
  least_bytes: 'Fewest bytes',
  random: 'Random',
  sticky: 'Sticky by key',
};
