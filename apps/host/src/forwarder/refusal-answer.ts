import type { RuleRefusal } from '@turnpike/contract/traffic';
import type { TextAnswer } from '@turnpike/tunnel/serve-http';
import type { Target } from '@turnpike/tunnel/target';

const explanations: Record<RuleRefusal, (host: string) => string> = {
  allow_hosts: (host) =>
    `This session may not reach ${host}: allow_hosts does not name it. Create a session with ${host} in allow_hosts.`,
  block_hosts: (host) =>
    `This session may not reach ${host}: block_hosts names it. Create a session without ${host} in block_hosts.`,
  block: (host) =>
    `This session may not reach ${host}: it is on a list that block refuses. Create a session without ads or trackers in block.`,
  max_bytes: () =>
    'This session has used the traffic that max_bytes allows. Create a session with a larger max_bytes.',
  proxy_pin_exit: () =>
    "The proxy's exit address has changed, and proxy_pin_exit=stop ends this session's traffic then. Create a session, or change this one's proxy.",
};

/** What a page gets in place of an answer. It names the rule, and what to change. */
export function refusalAnswer(reason: RuleRefusal, { host }: Target): Omit<TextAnswer, 'keeps'> {
  return { status: 403, text: `${explanations[reason](host)}\n`, headers: ['X-Refused-By', reason] };
}
