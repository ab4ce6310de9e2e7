import { randomBytes } from 'node:crypto';

export const newApiKey = (): string => `tp_live_${randomBytes(32).toString('hex')}`;
export const newAccountId = (): string => `acc_${randomBytes(12).toString('hex')}`;
export const newSessionId = (): string => `br_${randomBytes(12).toString('hex')}`;
export const newCdpId = (): string => `br_${randomBytes(20).toString('hex')}`;
/** The three ids of a session, as the columns of its row. None can be derived from another. */
export const newSessionIds = () => ({
  id: newSessionId(),
  cdp_id: newCdpId(),
  viewer_token: randomBytes(20).toString('hex'),
});

export const newCrawlId = (): string => `cr_${randomBytes(12).toString('hex')}`;
export const newSnapshotId = (): string => `snap_${randomBytes(12).toString('hex')}`;
export const newEventId = (): string => `evt_${randomBytes(12).toString('hex')}`;
export const newMailId = (): string => `mail_${randomBytes(12).toString('hex')}`;
export const newWebhookId = (): string => `wh_${randomBytes(8).toString('hex')}`;

export const newProxyId = (): string => `px_${randomBytes(8).toString('hex')}`;
export const newPoolId = (): string => `pp_${randomBytes(8).toString('hex')}`;

export const newStatsToken = (): string => `tpapi_${randomBytes(32).toString('hex')}`;
export const newOperatorToken = (): string => `tpop_${randomBytes(32).toString('hex')}`;
export const newOperatorTokenId = (): string => `op_${randomBytes(6).toString('hex')}`;
/** Letters and digits only: a hyphen in a proxy user name starts its options. */
export const newProxyUser = (): string => `u${randomBytes(6).toString('hex')}`;
export const newProxyPassword = (): string => randomBytes(16).toString('hex');
