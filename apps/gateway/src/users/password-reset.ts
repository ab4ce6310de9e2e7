import { clientNetwork } from '@turnpike/tunnel/addresses/client-network';
import { emailAddress } from '../accounts/manage-account.ts';
import { recordAudit } from '../audit/audit-store.ts';
import { ApiError } from '../http/api-error.ts';
import { queueMail } from '../mail/mail-store.ts';
import type { MailText } from '../mail/mailer.ts';
import type { Context } from '../seams/context.ts';
import { hashSecret } from '../secrets/hash-secret.ts';
import { readStoredJson } from '../store/stored-json.ts';
import type { MailRow } from '../store/tables/mail-tables.ts';
import { createLink } from './links.ts';
import { checkSignInLimits } from './sign-in.ts';
import type { SignInLimit } from './sign-in-limit-store.ts';
import { accountOfUser, findUserByEmail } from './user-store.ts';

const minuteMs = 60_000;
/** Whoever waits for it has asked again by then. */
const giveUpAfterMs = 15 * minuteMs;

/**
 * Limits of requests from one network, and for one address from anywhere. Whoever uses the latter up cannot lock the
 * owner out: each of these requests has sent the owner a link.
 */
const limits = (email: string, address: string): SignInLimit[] => [
  { key: `reset address ${clientNetwork(address)}`, tries: 10, everyMs: 6 * minuteMs },
  { key: `reset email ${hashSecret(email)}`, tries: 3, everyMs: 20 * minuteMs },
];

/**
 * Queues an e-mail with a link to set a new password. Does exactly the same for an address that nobody has: whether
 * there is a user is found out when the e-mail is sent, so neither the answer nor its time tells.
 */
export async function requestPasswordReset(
  { db, now }: Pick<Context, 'db' | 'now'>,
  { email, address }: { email: string; address: string },
): Promise<void> {
  const recipient = emailAddress(email);
  const at = now();
  await checkSignInLimits(db, limits(recipient, address), at, 'Too many requests for a link; wait a moment');
  const mail = { kind: 'password-reset', recipient, data: { address }, now: at } as const;
  if (!(await queueMail(db, { ...mail, giveUpAt: at + giveUpAfterMs }))) throw new ApiError('busy');
}

/**
 * Writes the e-mail of a password reset, with a new link: the store has only its hash. Undefined for an address without
 * a user, for a suspended account, and for a user who has no password yet and needs the invitation.
 */
export async function writePasswordReset(
  { db, now }: Pick<Context, 'db' | 'now'>,
  { recipient, data, attempts }: Pick<MailRow, 'recipient' | 'data' | 'attempts'>,
  publicUrl: string,
): Promise<MailText | undefined> {
  const user = await findUserByEmail(db, recipient);
  if (!user?.password_hash) return undefined;
  const account = await accountOfUser(db, user);
  if (account && account.status !== 'active') return undefined;
  const { address } = readStoredJson(data) as { address: string };
  const { url } = await db.transaction().execute(async (trx) => {
    const by = { name: recipient, address };
    if (attempts === 1) await recordAudit(trx, { by, action: 'password.reset', target: recipient });
    return createLink(trx, user, 'reset', { publicUrl, now });
  });
  const text = [
    'Hello,',
    `Somebody asked for a new password for ${recipient}. To set one, open this link within an hour:`,
    url,
    'It works once, and signs out all browsers. If you did not ask for it, ignore this e-mail: your password stays as it is.',
  ];
  return { subject: 'Set a new password', text: `${text.join('\n\n')}\n` };
}
