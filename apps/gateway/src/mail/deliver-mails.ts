import { Poll } from '@turnpike/process/poll';
import type { Context } from '../seams/context.ts';
import type { MailKind, MailRow } from '../store/tables/mail-tables.ts';
import { claimMail, deleteMail, dueMails, postponeMail } from './mail-store.ts';
import { MailError, type Mailer, type MailText } from './mailer.ts';

/**
 * Writes an e-mail at the moment when it is sent. Undefined if nobody needs it any more, or there is nobody with that
 * address.
 */
export type WriteMail = (mail: MailRow) => Promise<MailText | undefined>;
export type MailWriters = Readonly<Record<MailKind, WriteMail>>;

const pollMs = 1000;
/** E-mails that a gateway sends at once. */
const atOnce = 4;
/** Longer than an e-mail can take: a claim that is older belongs to a gateway that died. */
const claimMs = 60_000;

/** Seconds before each retry; the last one repeats until the e-mail is given up. */
const retrySeconds = [5, 30, 120, 600, 1800];

/** Returns when to retry after so many attempts; undefined if it will be too late then. */
export function nextAttempt(
  { attempts, give_up_at }: Pick<MailRow, 'attempts' | 'give_up_at'>,
  now: number,
): number | undefined {
  const seconds = retrySeconds[Math.min(attempts, retrySeconds.length) - 1] ?? 0;
  const nextAt = now + seconds * 1000;
  return nextAt < give_up_at ? nextAt : undefined;
}

/**
 * Sends queued e-mails, together with the other gateways. Nothing waits for it: a mail server that is away or slow holds
 * up e-mails alone.
 */
export class MailDeliveries implements AsyncDisposable {
  readonly #context: Context;
  readonly #mailer: Mailer;
  readonly #writers: MailWriters;
  readonly #poll: Poll;
  readonly #inProgress = new Set<Promise<void>>();
  readonly #stop = new AbortController();

  constructor(context: Context, mailer: Mailer, writers: MailWriters) {
    this.#context = context;
    this.#mailer = mailer;
    this.#writers = writers;
    this.#poll = new Poll(
      pollMs,
      () => this.#pollOnce(),
      (error) => context.logger.warn({ err: error }, 'could not send e-mails; will retry'),
    );
  }

  /** Gives up e-mails in progress: they will be sent again when their claims expire, here or elsewhere. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#poll[Symbol.asyncDispose]();
    await Promise.all(this.#inProgress);
  }

  async #pollOnce(): Promise<void> {
    const { db, now } = this.#context;
    const free = atOnce - this.#inProgress.size;
    if (free <= 0 || this.#stop.signal.aborted) return;
    for (const id of await dueMails(db, now(), free)) {
      const at = now();
      const mail = await claimMail(db, id, { now: at, until: at + claimMs });
      if (mail) this.#take(mail);
    }
  }

  #take(mail: MailRow): void {
    const work = this.#deliver(mail)
      .catch((error) => {
        // It is tried again when its claim expires.
        this.#context.metrics.itemFailed('mail');
        this.#context.logger.warn({ err: error, ...named(mail) }, 'could not finish an e-mail; will retry');
      })
      .finally(() => {
        this.#inProgress.delete(work);
        if (!this.#stop.signal.aborted) this.#poll.now();
      });
    this.#inProgress.add(work);
  }

  async #deliver(mail: MailRow): Promise<void> {
    const { db, logger, now } = this.#context;
    const isLate = now() >= mail.give_up_at;
    const text = isLate ? undefined : await this.#writers[mail.kind](mail);
    if (!text) {
      await deleteMail(db, mail);
      return;
    }
    try {
      await this.#mailer.send({ to: mail.recipient, id: mail.id, ...text }, this.#stop.signal);
    } catch (error) {
      if (!(error instanceof MailError)) throw error;
      if (!this.#stop.signal.aborted) await this.#failed(mail, error);
      return;
    }
    await deleteMail(db, mail);
    logger.info(named(mail), 'e-mail sent');
  }

  async #failed(mail: MailRow, { message, isFinal }: MailError): Promise<void> {
    const { db, logger, metrics, now } = this.#context;
    metrics.itemFailed('mail');
    const nextAt = isFinal ? undefined : nextAttempt(mail, now());
    const about = { ...named(mail), attempts: mail.attempts, reason: message };
    if (nextAt === undefined) {
      await deleteMail(db, mail);
      logger.error(about, 'e-mail not sent; gave up');
    } else {
      await postponeMail(db, mail, nextAt);
      logger.warn(about, 'e-mail not sent; will retry');
    }
  }
}

/** What logs say of an e-mail: not whose it is, and not what it says. */
const named = ({ id, kind }: MailRow) => ({ mail: id, kind });
