import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  CdpSessionIds,
  clientSessionIdAt,
  sessionIdAt,
  sessionIdMember,
  withoutSessionId,
} from './session-tail.ts';

const hexId = fc.string({ unit: fc.constantFrom(...'0123456789ABCDEF'), minLength: 32, maxLength: 32 });
const trickyText = fc.oneof(
  fc.string(),
  hexId.map((id) => `,"sessionId":"${id}"}`),
  hexId.map((id) => `\\","sessionId":"${id}"}`),
);
/** With bytes before and after that are none of the message's. */
const around = Buffer.from('x,"sessionId":"');
const ids = new CdpSessionIds();

function found(find: typeof sessionIdAt, text: string): string | undefined {
  const message = Buffer.from(text);
  const bytes = Buffer.concat([around, message, around]);
  return ids.read(bytes, find(bytes, around.length, around.length + message.length));
}

/** Objects that love to look like a message with a session. */
const body = fc.dictionary(
  fc.oneof(fc.constantFrom('params', 'result', 'method', 'x'), trickyText),
  fc.oneof(
    trickyText,
    fc.record({ sessionId: hexId }),
    fc.array(fc.record({ sessionId: hexId })),
    fc.jsonValue(),
  ),
  { minKeys: 1 },
);
const withoutTopLevel = body.filter((object) => !('sessionId' in object));

it('finds the session that Chromium wrote last', () => {
  fc.assert(
    fc.property(withoutTopLevel, hexId, (object, sessionId) => {
      const text = JSON.stringify({ ...object, sessionId });
      expect(found(sessionIdAt, text)).toBe(sessionId);
      expect(found(clientSessionIdAt, text)).toBe(sessionId);
    }),
  );
});

it('finds no session in a message without one, whatever it contains', () => {
  fc.assert(
    fc.property(withoutTopLevel, (object) => {
      expect(found(sessionIdAt, JSON.stringify(object))).toBeUndefined();
      expect(found(clientSessionIdAt, JSON.stringify(object))).toBeUndefined();
    }),
  );
});

it('takes the session off and puts it on again without touching the rest', () => {
  fc.assert(
    fc.property(withoutTopLevel, hexId, (object, sessionId) => {
      const text = JSON.stringify(object);
      const whole = text.slice(0, -1) + sessionIdMember(sessionId);
      expect(JSON.parse(whole)).toEqual(JSON.parse(JSON.stringify({ ...object, sessionId })));
      const bytes = Buffer.from(whole);
      expect(bytes.toString('utf8', 0, withoutSessionId(bytes, bytes.length))).toBe(text);
    }),
  );
});

it("what it finds at the end of a client's message is what a parser finds", () => {
  const member = fc.oneof(
    hexId.map((id) => `,"sessionId":"${id}"`),
    fc.nat().map((id) => `,"id":${id}`),
    fc.constantFrom('', ' ', ',"a":{"b":1}'),
  );
  fc.assert(
    fc.property(withoutTopLevel, fc.array(member, { maxLength: 3 }), (object, members) => {
      const text = `${JSON.stringify(object).slice(0, -1) + members.join('')}}`;
      const session = found(clientSessionIdAt, text);
      if (session !== undefined) expect(JSON.parse(text)).toHaveProperty('sessionId', session);
    }),
  );
});

it('finds the session of a client that writes the id last', () => {
  fc.assert(
    fc.property(withoutTopLevel, hexId, fc.nat(), (object, sessionId, id) => {
      fc.pre(!('id' in object));
      expect(found(clientSessionIdAt, JSON.stringify({ ...object, sessionId, id }))).toBe(sessionId);
    }),
  );
});
