import type { ErrorSpec } from '@turnpike/contract/errors';
import { joinHead, splitHead } from '@turnpike/process/head-and-bytes';
import type { Claim } from '../creates/idempotency.ts';
import { associatedData } from '../secrets/associated-data.ts';
import type { SessionRow } from '../store/tables.ts';
import type { PageReply } from './page-answer.ts';
import { findPageAnswer, keepPageAnswer } from './page-answer-store.ts';
import type { PageContext } from './page-context.ts';

/** Larger answers are not kept: a repeat of such a call is answered with 410. */
const maxKeptBytes = 4 * 2 ** 20;

/** What a repeat is answered with. */
export interface KeptAnswer extends PageReply {
  status: number;
}

type KeepingContext = Pick<PageContext, 'db' | 'sealer' | 'now' | 'logger'>;

/** The answer to the call with the same Idempotency-Key, if it has been answered. */
export async function keptAnswer(
  { db, sealer }: KeepingContext,
  claim: Claim,
): Promise<KeptAnswer | undefined> {
  const row = await findPageAnswer(db, claim);
  if (!row) return undefined;
  const bytes = await sealer.openLarge(row.sealed, associatedData.pageAnswer(row.session_id));
  const split = splitHead(bytes);
  if (!split) return undefined;
  const head = JSON.parse(split.head.toString()) as Omit<KeptAnswer, 'body'>;
  return { ...head, body: split.rest };
}

/** Keeps an answer for repeats. A failure costs a repeat its answer, and this call nothing. */
export async function keepAnswer(
  { db, sealer, now, logger }: KeepingContext,
  session: SessionRow,
  { body, ...head }: KeptAnswer,
): Promise<void> {
  if (body.length > maxKeptBytes) return;
  try {
    await keepPageAnswer(db, {
      session_id: session.id,
      account_id: session.account_id,
      sealed: sealer.sealBytes(joinHead(head, body), associatedData.pageAnswer(session.id)),
      created_at: now(),
    });
  } catch (error) {
    logger.warn(
      { err: error, sessionId: session.id },
      'could not keep the answer of a page call for repeats',
    );
  }
}

/** Statuses of errors of a page: they are answers too. */
export const isPageError = (spec: ErrorSpec): boolean =>
  spec.status === 422 && !!spec.code?.startsWith('PAGE_');
