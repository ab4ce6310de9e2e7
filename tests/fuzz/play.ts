import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { Random } from './random.ts';

/** How a connection ends before its time. */
export const cuts = ['fin', 'rst', 'half-close', 'stall', 'none'] as const;
export type Cut = (typeof cuts)[number];

export interface Address {
  host: string;
  port: number;
}

/** An answer may never come: a mutated request has no right to one. */
const answerMs = 300;
const stallMs = 2000;

/**
 * Says each message after an answer to the one before, and cuts the connection at a random step, also in the middle of
 * a message. Resolves when the connection is closed on this side; whatever the peer does, it never throws.
 */
export async function play(
  random: Random,
  { host, port }: Address,
  messages: readonly Buffer[],
): Promise<void> {
  const socket = connect({ host, port, allowHalfOpen: true });
  socket.on('error', () => {}).resume();
  const cut = random.pick(cuts);
  const cutAt = random.below(messages.length);
  try {
    for (const [step, message] of messages.entries()) {
      const isCut = step === cutAt && cut !== 'none';
      socket.write(isCut ? message.subarray(0, random.below(message.length + 1)) : message);
      if (isCut) return await end(socket, cut);
      await heard(socket);
      if (socket.destroyed) return;
    }
    await end(socket, cut);
  } finally {
    socket.destroy();
  }
}

async function end(socket: Socket, cut: Cut): Promise<void> {
  if (cut === 'rst') socket.resetAndDestroy();
  else if (cut === 'half-close') {
    socket.end();
    await heard(socket);
  } else if (cut === 'stall') {
    socket.pause();
    await delay(stallMs);
  } else socket.end();
}

/** Resolves when the peer says something or leaves, or has had its time. */
async function heard(socket: Socket): Promise<void> {
  const enough = new AbortController();
  const stop = () => enough.abort();
  for (const event of ['data', 'end', 'close'] as const) socket.once(event, stop);
  await delay(answerMs, undefined, { signal: enough.signal }).catch(() => {});
  for (const event of ['data', 'end', 'close'] as const) socket.off(event, stop);
}
