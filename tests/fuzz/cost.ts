import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { secondsSince, threadSeconds } from '../fairness/processor-time.ts';
import type { Attacker } from './conversations.ts';
import { type CostlyConversation, costlyConversation } from './costly.ts';
import type { HostilePeer } from './hostile-peer.ts';
import type { Random } from './random.ts';

/** What a conversation cost the service. */
export interface ConversationCost {
  name: string;
  bytes: number;
  seconds: number;
  /** How it begins, to find it again. */
  sent: string;
}

/**
 * What a conversation may cost: a third of a second, for what the service does besides and for collecting garbage, and
 * five microseconds for each byte that was sent. A reader takes a hundredth of that; a request that is answered takes
 * up to ten for each, and few are sent. A reader whose time grows with the square takes seconds for the runs that are sent.
 */
export const allowedSeconds = (bytes: number): number => 0.3 + 5e-6 * bytes;

const kept = 10;
const attempts = 3;

/** Keeps the conversations that cost the most for each byte. */
export class WorstConversations {
  readonly worst: ConversationCost[] = [];
  played = 0;

  add(cost: ConversationCost): void {
    this.played += 1;
    this.worst.push(cost);
    this.worst.sort((a, b) => b.seconds / b.bytes - a.seconds / a.bytes);
    if (this.worst.length > kept) this.worst.pop();
  }
}

/** Plays one costly conversation while nobody else attacks. Returns what it cost, the least of some attempts. */
export async function costOfOne(
  random: Random,
  pid: number,
  attacker: Attacker,
  hostile: HostilePeer,
): Promise<ConversationCost> {
  const conversation = costlyConversation(random, attacker);
  const bytes =
    conversation.messages.reduce((sum, message) => sum + message.length, 0) +
    (conversation.answer?.length ?? 0);
  let seconds = Number.POSITIVE_INFINITY;
  for (let i = 0; i < attempts && seconds > allowedSeconds(bytes); i++) {
    const before = threadSeconds(pid);
    hostile.answerWith(conversation.answer);
    await playWhole(conversation);
    hostile.answerWith(undefined);
    seconds = Math.min(seconds, secondsSince(pid, before));
  }
  const sent = conversation.answer ?? conversation.messages.at(-1) ?? Buffer.alloc(0);
  return { name: conversation.name, bytes, seconds, sent: JSON.stringify(sent.toString('latin1', 0, 120)) };
}

const answerMs = 500;
/** The service answers nobody while it computes, but it does not compute for longer than this. */
const longestMs = 60_000;

/** Sends everything, and waits until the peer has read it all and said what it has to say. */
async function playWhole({ at, messages }: CostlyConversation): Promise<void> {
  const socket = connect(at);
  socket.on('error', () => {});
  let heardAt = performance.now();
  socket.on('data', () => {
    heardAt = performance.now();
  });
  for (const message of messages) socket.write(message);
  const closed = once(socket, 'close').then(
    () => true,
    () => true,
  );
  const endsAt = performance.now() + longestMs;
  while (performance.now() < endsAt) {
    const isQuiet = socket.writableLength === 0 && performance.now() - heardAt > answerMs;
    if (isQuiet || (await Promise.race([closed, delay(50, false)]))) break;
  }
  socket.destroy();
}
