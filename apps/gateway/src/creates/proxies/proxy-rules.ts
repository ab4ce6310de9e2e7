import { maxProxyRules, maxRuleHosts } from '@turnpike/contract/proxies';
import { parseBoundedJson } from '@turnpike/process/bounded-json';
import { parseHostPattern } from '@turnpike/tunnel/addresses/host-pattern';
import { type NamedProxy, parseProxyText } from '@turnpike/tunnel/addresses/proxy-text';
import type { ProxyUrl } from '@turnpike/tunnel/addresses/proxy-url';
import { ApiError } from '../../http/api-error.ts';
import { isObject } from '../../http/json-body.ts';
import { malformed } from '../parameters/parse-parameter.ts';

/** Destinations that go through another proxy than the session's. */
export interface AskedRule {
  hosts: string[];
  proxy: ProxyUrl | NamedProxy;
}

const maxTextBytes = 64 * 1024;
const form = 'must be a JSON array such as [{"hosts":["*.cdn.example"],"proxy":"name:cheap"}]';

/** Parses `proxy_rules`: a JSON array, or its text. An empty list counts as not given. */
export function parseProxyRules(value: unknown): AskedRule[] | undefined {
  const list = typeof value === 'string' ? fromText(value) : (value ?? []);
  if (!Array.isArray(list)) throw malformed('proxy_rules', form);
  if (list.length > maxProxyRules) throw malformed('proxy_rules', `must be at most ${maxProxyRules} rules`);
  return list.length === 0 ? undefined : list.map(parseRule);
}

function fromText(text: string): unknown {
  if (text.trim() === '') return [];
  if (text.length > maxTextBytes)
    throw malformed('proxy_rules', `must be at most ${maxTextBytes} characters`);
  try {
    return parseBoundedJson(text);
  } catch {
    throw malformed('proxy_rules', form);
  }
}

function parseRule(rule: unknown): AskedRule {
  if (!isObject(rule) || !Array.isArray(rule['hosts']) || typeof rule['proxy'] !== 'string')
    throw malformed('proxy_rules', form);
  const { hosts, proxy } = rule as { hosts: unknown[]; proxy: string };
  if (hosts.length === 0 || hosts.length > maxRuleHosts)
    throw malformed('proxy_rules', `must have 1 to ${maxRuleHosts} hosts in each rule`);
  const parsed = parseProxyText(proxy.trim());
  if (!parsed.ok)
    throw new ApiError('proxyInvalid', { detail: `in proxy_rules: ${parsed.rule}`, field: 'proxy_rules' });
  return { hosts: [...new Set(hosts.map(parseHost))], proxy: parsed.proxy };
}

function parseHost(host: unknown): string {
  const parsed = typeof host === 'string' ? parseHostPattern(host.trim()) : undefined;
  if (parsed === undefined)
    throw malformed('proxy_rules', 'must have host names such as example.com or *.example.com as hosts');
  return parsed;
}
