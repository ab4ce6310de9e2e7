import fc from 'fast-check';
import { expect, test } from 'vitest';
import { newCounters, pipeCounters } from '../reports.ts';
import { newWorkWords, SessionTurn, Turns } from '../turns.ts';
import { CommandQueue } from './command-queue.ts';
import type { ThreadCommand } from './thread-messages.ts';

/** More than a slice. */
const longMs = 5;

function newQueue(takesMs: (pipeId: number) => number) {
  const turns = new Turns(newWorkWords());
  const sessions = new Map(
    [1, 2, 3].map((pipeId) => [pipeId, new SessionTurn(pipeId, newCounters(pipeCounters))]),
  );
  const done: ThreadCommand[] = [];
  const queue = new CommandQueue({
    turns,
    turnOf: (pipeId) => sessions.get(pipeId),
    carryOut: (command) => {
      done.push(command);
      const pipeId = pipeIdOf(command);
      sessions.get(pipeId)?.add(takesMs(pipeId));
    },
  });
  return { turns, queue, done };
}

/** Clients have the number of their pipe in front. */
const pipeIdOf = (command: ThreadCommand): number => {
  if (command.type === 'connectClient') return command.toPipeId;
  if ('clientId' in command) return Math.floor(command.clientId / 10);
  return 'pipeId' in command ? command.pipeId : 0;
};

const handled = (pipeId: number, characters: number): ThreadCommand => ({
  type: 'handled',
  pipeId,
  characters,
});
const connect = (pipeId: number, clientId: number): ThreadCommand => ({
  type: 'connectClient',
  toPipeId: pipeId,
  start: { clientId, rootCdpSessionId: '', firstBytes: new Uint8Array(), counters: new Float64Array() },
  descriptor: 0,
});

test('a session whose commands take long has one in each round, and others are served between', () => {
  const { turns, queue, done } = newQueue((pipeId) => (pipeId === 1 ? longMs : 0));
  for (const clientId of [10, 11, 12]) queue.add(connect(1, clientId));
  queue.add({ type: 'handled', clientId: 12 });
  queue.add(handled(2, 1));
  turns.startRound();
  queue.carryOutNew();
  expect(done).toEqual([connect(1, 10), handled(2, 1)]);
  queue.add({ type: 'handled', clientId: 10 });
  queue.add(handled(2, 2));
  queue.carryOutNew();
  expect(done.splice(0)).toEqual([connect(1, 10), handled(2, 1), handled(2, 2)]);
  const rounds: ThreadCommand[][] = [];
  while (!queue.isEmpty) {
    turns.startRound();
    queue.carryOutWaiting(() => rounds.push(done.splice(0)));
  }
  expect(rounds).toEqual([
    [connect(1, 11)],
    [connect(1, 12)],
    [{ type: 'handled', clientId: 12 }],
    [{ type: 'handled', clientId: 10 }],
  ]);
});

test('each session’s commands are carried out once, in order, whatever they take and when they come', () => {
  const step = fc.oneof(
    fc.record({ pipeId: fc.integer({ min: 1, max: 4 }), client: fc.option(fc.integer({ min: 0, max: 2 })) }),
    fc.constant('round' as const),
  );
  fc.assert(
    fc.property(fc.array(step), fc.array(fc.constantFrom(0, 1, longMs), { minLength: 1 }), (steps, times) => {
      let next = 0;
      const { turns, queue, done } = newQueue(() => times[next++ % times.length] as number);
      const added: ThreadCommand[] = [];
      const add = (command: ThreadCommand) => {
        added.push(command);
        queue.add(command);
      };
      for (const pipeId of [1, 2, 3, 4])
        for (const client of [0, 1, 2]) add(connect(pipeId, 10 * pipeId + client));
      const round = () => {
        turns.startRound();
        queue.carryOutWaiting(() => {});
        queue.carryOutNew();
      };
      for (const [index, one] of steps.entries()) {
        if (one === 'round') round();
        else if (one.client === null) add(handled(one.pipeId, index));
        else
          add({
            type: 'pass',
            clientId: 10 * one.pipeId + one.client,
            message: new Uint8Array(),
            cdpSessionId: `${index}`,
          });
      }
      for (let i = 0; i <= added.length && !queue.isEmpty; i++) round();
      const of = (commands: readonly ThreadCommand[], pipeId: number) =>
        commands.filter((command) => pipeIdOf(command) === pipeId);
      for (const pipeId of [1, 2, 3, 4]) expect(of(done, pipeId)).toEqual(of(added, pipeId));
      expect(done).toHaveLength(added.length);
    }),
  );
});
