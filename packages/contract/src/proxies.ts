import { type Static, Type } from 'typebox';
import { savedNamePattern } from './ids.ts';

/** The proxies and pools that an account has saved, and what they are limited to. */

export const maxSavedProxies = 200;
export const maxProxyPools = 50;
export const maxPoolMembers = 50;
/** Of an account, in all pools and templates. The ones that were not used for longest are forgotten. */
export const maxProxyKeys = 10_000;
/** Of one create. */
export const maxProxyRules = 20;
export const maxRuleHosts = 200;
/** Contexts of one session that have a proxy of their own at a time. */
export const maxProxyContexts = 32;
/** Proxies that one session may use in its life: its own, those of its contexts and rules, and those it changed to. */
export const maxSessionProxies = 100;
export const maxPemBytes = 32 * 1024;

export const proxyPolicies = ['round_robin', 'least_sessions', 'least_bytes', 'random', 'sticky'] as const;
export type ProxyPolicy = (typeof proxyPolicies)[number];

/** `unknown`: nothing has used it yet. */
export const proxyStates = ['unknown', 'healthy', 'failing'] as const;
export type ProxyState = (typeof proxyStates)[number];

const Nullable = <Schema extends Type.TSchema>(schema: Schema, description: string) =>
  Type.Union([schema, Type.Null()], { description });
const Timestamp = Type.String({ format: 'date-time', description: 'ISO 8601, UTC, with milliseconds' });
const Name = Type.String({ pattern: savedNamePattern.source, description: 'Up to 64 characters' });
const Country = Type.String({ pattern: '^[A-Z]{2}$', description: 'ISO 3166-1 alpha-2' });
const Tags = Type.Array(Type.String({ pattern: savedNamePattern.source }), { maxItems: 20 });
const Notes = Type.String({ maxLength: 2000 });
const Price = Type.Number({
  minimum: 0,
  maximum: 1_000_000,
  description: 'For 10⁹ bytes, up and down together, in a currency of your own; up to six decimals',
});
const Pem = Type.String({ maxLength: maxPemBytes });

export const ProxyHealth = Type.Object({
  state: Type.Enum(proxyStates),
  since: Timestamp,
  checkedAt: Nullable(Timestamp, 'When it was last dialled to see how it is'),
  latencyMs: Nullable(Type.Integer(), 'Of the last handshake that succeeded'),
  exitIp: Nullable(Type.String(), 'Where it came out last'),
  exitCountry: Nullable(Country, 'Where that address is'),
  lastError: Nullable(Type.String(), 'How it failed last'),
});
export type ProxyHealth = Static<typeof ProxyHealth>;

export const SavedProxy = Type.Object({
  name: Name,
  url: Type.String({ description: 'Its password is masked' }),
  tags: Tags,
  country: Nullable(Country, 'Where it comes out; the default of `{country}`'),
  notes: Nullable(Type.String(), 'For people'),
  pricePerGb: Nullable(Price, 'What it costs'),
  isDefault: Type.Boolean({ description: 'A create without a proxy uses it' }),
  hasCa: Type.Boolean({ description: 'It has a CA bundle of its own' }),
  trustCaInBrowser: Type.Boolean({ description: 'The browsers of its sessions trust that bundle too' }),
  hasClientCertificate: Type.Boolean(),
  health: ProxyHealth,
  createdAt: Timestamp,
  updatedAt: Timestamp,
});
export type SavedProxy = Static<typeof SavedProxy>;

/** What may be set. Null takes a value away. */
const settable = {
  url: Type.String({
    maxLength: 2048,
    description:
      'With its credentials, which are stored sealed and never shown again. It may have `{country}`, `{session}` and ' +
      '`{key}` in it',
  }),
  tags: Type.Optional(Tags),
  country: Type.Optional(Type.Union([Country, Type.Null()])),
  notes: Type.Optional(Type.Union([Notes, Type.Null()])),
  pricePerGb: Type.Optional(Type.Union([Price, Type.Null()])),
  ca: Type.Optional(
    Type.Union([Pem, Type.Null()], {
      description: 'PEM: the only authorities that its certificate may be from',
    }),
  ),
  trustCaInBrowser: Type.Optional(
    Type.Boolean({
      description:
        'For a proxy that opens TLS: the browsers of its sessions, and no others, trust the bundle',
    }),
  ),
  clientCertificate: Type.Optional(
    Type.Union([Type.Object({ certificate: Pem, key: Pem }), Type.Null()], {
      description: 'PEM: what Turnpike shows to an `https` proxy that asks for a certificate',
    }),
  ),
};
export const NewSavedProxy = Type.Object({ name: Name, ...settable });
export type NewSavedProxy = Static<typeof NewSavedProxy>;
export const SavedProxyChange = Type.Partial(Type.Object({ name: Name, ...settable }));
export type SavedProxyChange = Static<typeof SavedProxyChange>;
export const SavedProxyList = Type.Object({ proxies: Type.Array(SavedProxy) });
export type SavedProxyList = Static<typeof SavedProxyList>;
export const DeletedName = Type.Object({ name: Type.String() });

export const ProxyPool = Type.Object({
  name: Name,
  policy: Type.Enum(proxyPolicies),
  members: Type.Array(Type.Object({ name: Name, state: Type.Enum(proxyStates) }), {
    description: 'Saved proxies, in their order',
  }),
  isDefault: Type.Boolean({ description: 'A create without a proxy uses it' }),
  createdAt: Timestamp,
  updatedAt: Timestamp,
});
export type ProxyPool = Static<typeof ProxyPool>;
const poolSettable = {
  policy: Type.Enum(proxyPolicies),
  members: Type.Array(Name, { minItems: 1, maxItems: maxPoolMembers, uniqueItems: true }),
};
export const NewProxyPool = Type.Object({ name: Name, ...poolSettable });
export type NewProxyPool = Static<typeof NewProxyPool>;
export const ProxyPoolChange = Type.Partial(Type.Object({ name: Name, ...poolSettable }));
export type ProxyPoolChange = Static<typeof ProxyPoolChange>;
export const ProxyPoolList = Type.Object({ pools: Type.Array(ProxyPool) });
export type ProxyPoolList = Static<typeof ProxyPoolList>;

/** POST /user/api/proxies/:name/check. A proxy that fails is an answer too. */
export const ProxyCheckRequest = Type.Object({
  url: Type.Optional(Type.String({ maxLength: 2048, description: 'Fetched through it: http or https' })),
  country: Type.Optional(Country),
});
export const ProxyCheck = Type.Object({
  ok: Type.Boolean(),
  latencyMs: Nullable(Type.Integer(), 'Of the handshake with the proxy'),
  exitIp: Nullable(Type.String(), 'Where the operator has set TURNPIKE_PROXY_PROBE_URL'),
  exitCountry: Nullable(Country, 'Where that address is'),
  fetched: Nullable(
    Type.Object({ status: Type.Integer(), firstByteMs: Type.Integer() }),
    'Of the URL that was asked for',
  ),
  error: Nullable(Type.String(), 'How it failed'),
  checkedAt: Timestamp,
});
export type ProxyCheck = Static<typeof ProxyCheck>;

/** GET and PUT /user/api/default-proxy. */
export const DefaultProxy = Type.Object({
  proxy: Type.Union([Type.String({ pattern: '^(?:name|pool):' }), Type.Null()], {
    description: '`name:<saved proxy>` or `pool:<pool>`; null: a create must name its proxy',
  }),
});
export type DefaultProxy = Static<typeof DefaultProxy>;

/** Another proxy of a session. */
export const SessionProxyChange = Type.Object({
  proxy: Type.String({
    maxLength: 2048,
    description: '`name:<saved proxy>`, `pool:<pool>`, or a URL',
    examples: ['name:shop-de'],
  }),
  proxy_key: Type.Optional(Type.String({ pattern: '^[\\x21-\\x7e]{1,128}$', description: 'As in a create' })),
  proxy_country: Type.Optional(Type.String({ pattern: '^[A-Za-z]{2}$', description: 'As in a create' })),
});
export type SessionProxyChange = Static<typeof SessionProxyChange>;

/** Days of one answer about usage. */
export const maxUsageDays = 90;

/** GET /user/api/proxies/:name/usage and /user/api/proxy-pools/:name/usage: UTC days, the oldest first. */
export const ProxyUsageQuery = Type.Object({
  from: Type.Optional(
    Type.String({ format: 'date', description: 'First day. Default: 29 days before today' }),
  ),
  to: Type.Optional(Type.String({ format: 'date', description: 'Last day. Default: today' })),
});
export const ProxyDay = Type.Object({
  date: Type.String({ format: 'date' }),
  sessions: Type.Integer(),
  connections: Type.Integer(),
  failures: Type.Integer(),
  firstByteMs: Nullable(Type.Integer(), 'The mean time to the first byte of an answer'),
  exitChanges: Type.Integer(),
  bytesUp: Type.Integer(),
  bytesDown: Type.Integer(),
  cost: Nullable(Type.Number(), 'By the prices of that time'),
});
export type ProxyDay = Static<typeof ProxyDay>;
export const ProxyUsage = Type.Object({ days: Type.Array(ProxyDay) });
export type ProxyUsage = Static<typeof ProxyUsage>;

/** What a create's `proxy` says. */
export type ProxyChoice = { kind: 'url'; url: string } | { kind: 'name' | 'pool'; name: string };

/** Reads `name:x`, `pool:x` or a URL. Whether what it names exists is not known here. */
export function proxyChoice(text: string): ProxyChoice {
  const named = /^(name|pool):(.*)$/s.exec(text);
  if (!named) return { kind: 'url', url: text };
  return { kind: named[1] as 'name' | 'pool', name: named[2] as string };
}
