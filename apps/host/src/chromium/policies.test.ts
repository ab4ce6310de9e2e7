import { expect, it } from 'vitest';
import { usualStart } from '../profile/plan-start.ts';
import { chromiumFlags } from './flags.ts';
import policies from './policies.json' with { type: 'json' };

it('the policy that extensions cannot change names the same proxy as the command line', () => {
  const flags = chromiumFlags(usualStart(true, '156.0.0.0'));
  const { ProxyServer, ProxyBypassList, ProxyMode } = policies.ProxySettings;
  expect(flags).toContain(`--proxy-server=${ProxyServer}`);
  expect(flags).toContain(`--proxy-bypass-list=${ProxyBypassList}`);
  expect(ProxyMode).toBe('fixed_servers');
});
