import { type Static, Type } from 'typebox';
import { Compile } from 'typebox/compile';
import type { CreateParameter } from '../create-parameter.ts';
import { type BrowserParams, camelCase, parametersIn } from '../create-parameters.ts';
import { cdpIdPattern, extensionIdPattern, sessionIdPattern } from '../ids.ts';

const optional = Type.Optional;
const Text = Type.String();
const Whole = Type.Integer({ minimum: 0 });

/** The customer's proxy, parsed. `addresses` are the checked, pinned addresses: a host dials nothing else. */
const UpstreamProxy = Type.Object({
  scheme: Type.Enum(['http', 'https', 'socks5', 'socks5h'] as const),
  /** Name or IP literal (IPv6 without brackets) as the customer wrote it; for TLS server names. */
  host: Text,
  port: Type.Integer({ minimum: 1, maximum: 65_535 }),
  username: optional(Text),
  password: optional(Text),
  /** Empty when the name did not resolve: the host then answers PROXY_UNREACHABLE. */
  addresses: Type.Unsafe<readonly string[]>(Type.Array(Text)),
  /** What the ledger and receipts call it: `name:<saved proxy>`. If undefined, its URL, masked. */
  label: optional(Text),
  /** Where it comes out, as the account says: ISO 3166-1 alpha-2. */
  country: optional(Text),
  /** For 10⁹ bytes, in millionths. */
  priceMicros: optional(Whole),
  /** PEM: the only authorities that an `https` proxy's certificate may be from. */
  ca: optional(Text),
  /** Whether the session's browser trusts that bundle too. */
  trustCa: optional(Type.Boolean()),
  /** PEM: what an `https` proxy is shown when it asks. */
  clientCertificate: optional(Type.Object({ certificate: Text, key: Text })),
});
export type UpstreamProxy = Static<typeof UpstreamProxy>;
export type ProxyScheme = UpstreamProxy['scheme'];

/** What a session begins with of a saved profile or cache, and what it leaves. */
const ArchiveRequest = Type.Object({
  /** Base64 of what an earlier session left; undefined means nothing. Only ever unpacked inside the sandbox. */
  archive: optional(Text),
  /** How large an archive it may leave; undefined if it leaves none. */
  maxBytes: optional(Whole),
});
export type ArchiveRequest = Static<typeof ArchiveRequest>;

/** A snapshot that a session begins with. */
const SnapshotRequest = Type.Object({
  /** Base64 of what a host answered. */
  archive: Text,
  /** Whether the session is the device of the snapshot, or one that its parameters choose. */
  keepsDevice: Type.Boolean(),
});
export type SnapshotRequest = Static<typeof SnapshotRequest>;

/** A file of an extension. */
const ExtensionFile = Type.Object({
  /** Relative, with slashes. */
  path: Text,
  /** Its size, unpacked. */
  bytes: Whole,
  /** Whether the content is compressed, in the raw DEFLATE format. */
  isDeflated: Type.Boolean(),
  /** Base64. */
  content: Text,
});
export type ExtensionFile = Static<typeof ExtensionFile>;

/** An extension that the browser loads before clients get it. */
const ExtensionRequest = Type.Object({
  /** That Chromium makes from the key in its manifest. */
  id: Type.String({ pattern: extensionIdPattern.source }),
  /** For messages. */
  name: Text,
  files: Type.Array(ExtensionFile),
});
export type ExtensionRequest = Static<typeof ExtensionRequest>;

/** Destinations that go through another proxy than the session's. The first rule that matches counts. */
const ProxyRule = Type.Object({
  /** As in `allow_hosts`. */
  hosts: Type.Array(Text),
  proxy: UpstreamProxy,
});
export type ProxyRule = Static<typeof ProxyRule>;

/** What a gateway asks a host to open. Members that a later version adds are ignored. */
const OpenRequest = Type.Object({
  sessionId: Type.String({ pattern: sessionIdPattern.source }),
  /** Bearer secret of the CDP endpoint: `/cdp/<cdpId>`. */
  cdpId: Type.String({ pattern: cdpIdPattern.source }),
  /** Bearer secret of the live view; never the CDP id. */
  viewerToken: Text,
  /** Whose session it is. Undefined if the gateway is of an earlier version. */
  accountId: optional(Text),
  proxy: UpstreamProxy,
  /** Undefined if all destinations go through `proxy`. */
  proxyRules: optional(Type.Array(ProxyRule)),
  params: Type.Unsafe<BrowserParams>(Type.Object(hostParameters())),
  /** The host ends the session by itself this long after it came up. */
  lifetimeMs: Whole,
  /** The host gives up by itself on an open that takes longer: a caller that is cut off cannot say so. */
  timeoutMs: Whole,
  /** And this long after the last CDP or viewer message; undefined means never. */
  idleMs: optional(Whole),
  /** Undefined if it begins with nothing and leaves nothing. */
  profile: optional(ArchiveRequest),
  /** The same for the HTTP cache. */
  cache: optional(ArchiveRequest),
  /** Undefined if it begins with none. */
  snapshot: optional(SnapshotRequest),
  /** Undefined if it loads none. */
  extensions: optional(Type.Array(ExtensionRequest)),
  /** Whether clients may load extensions from the session's files. */
  mayLoadExtensions: optional(Type.Boolean()),
  /** W3C Trace Context of the create, where it is traced: the host's steps are part of it. */
  traceparent: optional(Text),
});
export type OpenRequest = Static<typeof OpenRequest>;
const compiled = Compile(OpenRequest);

/** `BrowserParams`: those with a default are always there. */
function hostParameters(): Record<string, Type.TSchema> {
  const sent = parametersIn().filter(([, { host }]) => host);
  return Object.fromEntries(
    sent.map(([name, parameter]) => [
      camelCase(name),
      'default' in parameter ? sentSchema(parameter) : optional(sentSchema(parameter)),
    ]),
  );
}

function sentSchema(parameter: CreateParameter): Type.TSchema {
  switch (parameter.kind) {
    case 'flag':
      return Type.Boolean();
    case 'integer':
      return Type.Integer();
    case 'choice':
      return Type.Enum([...parameter.choices]);
    case 'list':
      return Type.Array(Text);
    case 'object':
      return Type.Object({}, { additionalProperties: true });
    case 'text':
      return Text;
  }
}

/**
 * Returns undefined if it is one. Otherwise what is wrong with it, without its values: they hold a customer's password.
 */
export function openRequestTrouble(value: unknown): string | undefined {
  if (compiled.Check(value)) return undefined;
  const [first] = compiled.Errors(value);
  return `${first?.instancePath || 'the request'} ${first?.message ?? 'is malformed'}`;
}

const compiledProxy = Compile(UpstreamProxy);
export const isUpstreamProxy = (value: unknown): value is UpstreamProxy => compiledProxy.Check(value);

export const isOpenRequest = (value: unknown): value is OpenRequest => compiled.Check(value);
