import { attacks } from './attacks/all.ts';
import { type AttackerOptions, prepareAttacker } from './tools.ts';

/** What the attacker's process is told: to prepare itself, to play rows at the same time until a time, to end. */
export type AttackerOrder =
  | { prepare: AttackerOptions }
  | { play: number[]; untilMs: number }
  | { end: true };

/** What it answers when it has done so. */
export interface AttackerAnswer {
  sentBytes: number;
  rounds: number;
  failures: string[];
}

let attacker: Awaited<ReturnType<typeof prepareAttacker>> | undefined;

process.on('message', (order: AttackerOrder) => {
  void carryOut(order).then((answer) => process.send?.(answer));
});
process.on('disconnect', () => process.exit());

async function carryOut(order: AttackerOrder): Promise<AttackerAnswer> {
  const failures: string[] = [];
  let rounds = 0;
  const before = attacker?.sentBytes ?? 0;
  if ('prepare' in order) attacker = await prepareAttacker(order.prepare);
  else if ('end' in order) await attacker?.[Symbol.asyncDispose]();
  else {
    const endsAt = performance.now() + order.untilMs;
    const playRow = async (row: number) => {
      const attack = attacks.find((known) => known.row === row);
      do {
        rounds += 1;
        if (attacker) await attack?.play(attacker).catch((error) => failures.push(`row ${row}: ${error}`));
      } while (performance.now() < endsAt);
    };
    await Promise.all(order.play.map(playRow));
  }
  return { sentBytes: (attacker?.sentBytes ?? 0) - before, rounds, failures };
}
