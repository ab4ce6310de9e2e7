import { expect, test } from 'vitest';
import { StealthSessions } from './stealth-sessions.ts';

const message = Buffer.from('{"id":1,"method":"Page.reload"}');
const wire = { toBrowser: () => {}, toClient: () => {} };

test('a CDP session is counted from its first message to its end', () => {
  let held = 0;
  const maxHeld = 20_000;
  const count = {
    take: (bytes: number) => {
      if (held + bytes > maxHeld) return false;
      held += bytes;
      return true;
    },
    add: (bytes: number) => {
      held += bytes;
    },
  };
  const sessions = new StealthSessions(count, wire);
  let refused = 0;
  const client = {
    clientId: 1,
    rootCdpSessionId: 'root',
    deliver: () => {},
    showHost: () => {},
    refuseForRoom: () => {
      refused += 1;
    },
  };
  const send = (id: string) => sessions.fromClient(client, id, message, 0, message.length);
  const ids = Array.from({ length: 100 }, (_, i) => String(i));
  const answers = ids.map(send);
  expect(answers.filter((answer) => answer !== null)).toHaveLength(4);
  expect(refused).toBe(96);
  for (const id of ids) sessions.detached(id);
  expect(held).toBe(0);
  expect(send('again')).toBeUndefined();
});
