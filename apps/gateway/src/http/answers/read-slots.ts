import type { FastifyInstance, FastifyReply } from 'fastify';
import { disconnectSignal } from '../client-disconnect.ts';
import { FairSlots } from './fair-slots.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Its answers are large, or long to make: whoever is signed in, or the key's account, needs a slot for each. */
    isLargeRead?: boolean;
  }
}

/** Who reads: an account, or somebody who has a share link of that account. */
interface Reader {
  owner: string;
  link?: string;
}

/** A player loads a few pictures and events at once; what is more waits a moment. */
const waiting = { waitingPerOwner: 32, maxWaitMs: 20_000 };

/**
 * Slots for answers that are large or long to make: recordings, exports, CSV files. Each holds a few megabytes at most
 * while it is read, so their number bounds the memory, and nobody has more than their share of it.
 */
export class ReadSlots {
  readonly #links = new FairSlots({ ...waiting, atOnce: Number.POSITIVE_INFINITY, perOwner: 4 });
  readonly #all = new FairSlots({ ...waiting, atOnce: 48, perOwner: 8 });

  get held(): number {
    return this.#all.held;
  }

  /** Waits until the reader may have an answer. The slot is released when the answer is sent or the client has left. */
  async hold(reply: FastifyReply, { owner, link }: Reader): Promise<void> {
    using undo = new DisposableStack();
    const gone = disconnectSignal(reply);
    if (link !== undefined) undo.use(await this.#links.take(link, gone));
    // Whoever has a link of an account cannot use up what the account itself may read.
    undo.use(await this.#all.take(link === undefined ? owner : `links of ${owner}`, gone));
    gone.throwIfAborted();
    const held = undo.move();
    reply.raw.once('close', () => held.dispose());
  }
}

/** Makes the routes with `config.isLargeRead` that are registered after this call wait for a slot. */
export function holdReadSlots(app: FastifyInstance, slots: ReadSlots): void {
  app.addHook('onRoute', (route) => {
    if (!route.config?.isLargeRead) return;
    route.preHandler = async (request, reply) => {
      // An operator's pages are read by a user, and the others for an account.
      await slots.hold(reply, { owner: request.account?.id ?? request.person.user.id });
    };
  });
}
