import type { RuleRefusal } from '@turnpike/contract/traffic';
import { hostMatcher, normalHost } from '@turnpike/tunnel/addresses/host-pattern';
import type { Target } from '@turnpike/tunnel/target';

/** Decides about a destination before anything is sent to it. Undefined if it may be reached. */
export type Refuses = (destination: Target) => RuleRefusal | undefined;

export interface HostRules {
  /** Patterns in their normal form. Undefined means all hosts. */
  allowHosts?: readonly string[] | undefined;
  blockHosts?: readonly string[] | undefined;
}

/**
 * Compiles a session's rules about hosts. A host that cannot be read is refused by whichever rule there is: the proxy
 * might read it differently. Returns undefined if there are no rules.
 */
export function compileHostRules({ allowHosts, blockHosts }: HostRules): Refuses | undefined {
  if (!allowHosts && !blockHosts) return undefined;
  const isAllowed = allowHosts ? hostMatcher(allowHosts) : () => true;
  const isBlocked = blockHosts ? hostMatcher(blockHosts) : () => false;
  return ({ host }) => {
    const normal = normalHost(host);
    if (normal === undefined) return allowHosts ? 'allow_hosts' : 'block_hosts';
    if (isBlocked(normal)) return 'block_hosts';
    return isAllowed(normal) ? undefined : 'allow_hosts';
  };
}

/** Refuses what any of several rules refuses, by the first that does. Returns undefined if there are no rules. */
export function anyOf(...rules: (Refuses | undefined)[]): Refuses | undefined {
  const [first, second, ...others] = rules.filter((rule) => rule !== undefined);
  if (!first || !second) return first;
  return (destination) => first(destination) ?? anyOf(second, ...others)?.(destination);
}
