import { type Static, Type } from 'typebox';
import { maxSessionTags, sessionTagPattern } from './ids.ts';
import { SessionProxyChange } from './proxies.ts';

const orNull = <T extends Type.TSchema>(schema: T) => Type.Optional(Type.Union([schema, Type.Null()]));

/** What people call a session, as it is changed. What is not given stays. */
export const SessionLabels = Type.Object({
  name: orNull(Type.String({ maxLength: 200, description: 'Another name; null removes it' })),
  tags: orNull(
    Type.Array(Type.String({ pattern: sessionTagPattern.source }), {
      maxItems: maxSessionTags,
      description: 'Other tags, in place of all that it has; null or an empty list removes them',
    }),
  ),
});
export type SessionLabels = Static<typeof SessionLabels>;

/** PATCH /api/browser/:id. Other members are ignored. */
export const SessionChange = Type.Object({
  ...SessionProxyChange.properties,
  proxy: Type.Optional(SessionProxyChange.properties.proxy),
  ...SessionLabels.properties,
});
export type SessionChange = Static<typeof SessionChange>;
