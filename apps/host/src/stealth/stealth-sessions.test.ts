import { expect, test } from 'vitest';
import { StealthSessions } from './stealth-sessions.ts';

const message = Buffer.from('{"id":1,"method":"Page.reload"}');
const wire = () => ({ toBrowser: () => {}, toClient: () => {} });

test('a CDP session is counted from its first message to its end', () => {
  let held = 0;
  const maxHeld = 20_000;
  const sessions = new StealthSessions({
    take: (bytes) => {
      if (held + bytes > maxHeld) return false;
      held += bytes;
      return true;
    },
    add: (bytes) => {
      held += bytes;
    },
  });
  const ids = Array.from({ length: 100 }, (_, i) => String(i));
  const answers = ids.map((id) => sessions.fromClient(id, message, wire));
  expect(answers.filter((answer) => answer !== 'no room')).toHaveLength(4);
  for (const id of ids) sessions.delete(id);
  expect(held).toBe(0);
  expect(sessions.fromClient('again', message, wire)).toBeUndefined();
});
