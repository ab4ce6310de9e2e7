import type { ProtocolMapping } from 'devtools-protocol/types/protocol-mapping.js';

/** The DevTools protocol, typed by `devtools-protocol`. */

type Commands = ProtocolMapping.Commands;
type Events = ProtocolMapping.Events;

export type Method = keyof Commands;
export type Params<M extends Method> = Commands[M]['paramsType'] extends []
  ? Record<string, never>
  : NonNullable<Commands[M]['paramsType'][0]>;
export type Result<M extends Method> = Commands[M]['returnType'];

/** A method with its parameters, for calls that are prepared in one place and sent in another. */
export type Command = { [M in Method]: readonly [method: M, params: Params<M>] }[Method];

/**
 * Arguments of an event's listeners: the event, and the CDP session that it belongs to; undefined means the browser
 * itself.
 */
export type EventArguments = {
  [E in keyof Events]: [
    event: Events[E] extends [infer Event] ? Event : Record<string, never>,
    cdpSessionId: string | undefined,
  ];
};
