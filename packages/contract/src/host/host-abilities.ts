import type { CreateParameter } from '../create-parameter.ts';
import { camelCase, firstName, type ParameterName, parametersIn } from '../create-parameters.ts';
import type { OpenRequest } from '../host.ts';

/** Which create parameters a host acts on. Hosts announce it, so that none is given a parameter that it ignores. */

/** Parameters that a host gets in members of their own, not in `params`. */
const ownMembers = {
  idle_timeout: 'idleMs',
  profile: 'profile',
  cache: 'cache',
  extensions: 'extensions',
  snapshot: 'snapshot',
  proxy_rules: 'proxyRules',
} as const;
const ownMember = (name: ParameterName) => (ownMembers as Partial<Record<string, keyof OpenRequest>>)[name];

const forHosts = parametersIn().filter(([name, { host }]) => host || ownMember(name) !== undefined);

/** What hosts of this version can do. */
export const hostAbilities: readonly string[] = forHosts.map(([name]) => firstName(name));

/** What hosts can do that announce nothing: those of version 0.1.0. */
export const earliestAbilities: readonly string[] = [
  ...['os', 'headless', 'vnc', 'idleTimeout', 'profile', 'browser_version_min', 'browser_version_max'],
  ...['browser_language', 'ui_language', 'screen_width_min', 'screen_height_min', 'force_visibility'],
];

/** The parameters that an open asks for. One that is absent, off or at its default asks for nothing. */
export function abilitiesAskedFor(request: OpenRequest): string[] {
  const params: Readonly<Record<string, unknown>> = request.params;
  return forHosts
    .filter(([name, parameter]) => {
      const member = ownMember(name);
      const value = member ? request[member] : params[camelCase(name)];
      return value !== undefined && value !== false && value !== defaultOf(parameter);
    })
    .map(([name]) => firstName(name));
}

const defaultOf = (parameter: CreateParameter): unknown =>
  'default' in parameter ? parameter.default : undefined;
