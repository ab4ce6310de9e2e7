import { Type } from 'typebox';
import { Compile } from 'typebox/compile';
import type { CreateParameter } from './create-parameter.ts';
import { camelCase, parametersIn } from './create-parameters.ts';
import type { OpenRequest } from './host.ts';
import { cdpIdPattern, sessionIdPattern } from './ids.ts';

const optional = Type.Optional;
const Text = Type.String();
const Whole = Type.Integer({ minimum: 0 });

const Archive = Type.Object({ archive: optional(Text), maxBytes: optional(Whole) });

/** What a gateway sends a host of another process. Members that a later version adds are ignored. */
const schema = Type.Object({
  sessionId: Type.String({ pattern: sessionIdPattern.source }),
  cdpId: Type.String({ pattern: cdpIdPattern.source }),
  viewerToken: Text,
  accountId: optional(Text),
  proxy: Type.Object({
    scheme: Type.Enum(['http', 'https', 'socks5', 'socks5h'] as const),
    host: Text,
    port: Type.Integer({ minimum: 1, maximum: 65_535 }),
    username: optional(Text),
    password: optional(Text),
    addresses: Type.Array(Text),
  }),
  params: Type.Object(hostParameters()),
  lifetimeMs: Whole,
  timeoutMs: Whole,
  idleMs: optional(Whole),
  profile: optional(Archive),
  cache: optional(Archive),
  traceparent: optional(Text),
});
const compiled = Compile(schema);

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

/** Undefined: it is one. Otherwise what is wrong with it, without its values: they hold a customer's password. */
export function openRequestTrouble(value: unknown): string | undefined {
  if (compiled.Check(value)) return undefined;
  const [first] = compiled.Errors(value);
  return `${first?.instancePath || 'the request'} ${first?.message ?? 'is malformed'}`;
}

export const isOpenRequest = (value: unknown): value is OpenRequest => compiled.Check(value);
