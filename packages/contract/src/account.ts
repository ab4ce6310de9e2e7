import { type Static, Type } from 'typebox';
import { apiKeyPattern } from './ids.ts';

/** The value of `limit` and `remaining` for an unlimited account, so that `remaining > 0` stays true. */
export const unlimitedCount = 2147483647;

export const ConcurrencyRecord = Type.Object({
  limit: Type.Integer({ description: 'Concurrent browsers; 2147483647 where there is no limit' }),
  active: Type.Integer({ description: 'Sessions that run now' }),
  remaining: Type.Integer({ description: 'Free slots; creates in progress have theirs already' }),
  unlimited: Type.Boolean(),
});
export type ConcurrencyRecord = Static<typeof ConcurrencyRecord>;

export const accountStatuses = ['active', 'suspended'] as const;
export type AccountStatus = (typeof accountStatuses)[number];

export const AccountProfile = Type.Object({
  id: Type.String(),
  email: Type.String(),
  name: Type.String(),
  status: Type.Enum(accountStatuses),
  createdAt: Type.String({ format: 'date-time' }),
});
export type AccountProfile = Static<typeof AccountProfile>;

export const AccountLimits = Type.Object({
  concurrent: Type.Integer({ description: '2147483647: unlimited' }),
  unlimited: Type.Boolean({ description: 'No limit on concurrent browsers' }),
  createsPerMinute: Type.Integer(),
  browserSecondsCap: Type.Integer({
    description: 'For the whole life of the account; 2147483647: unlimited',
  }),
});
export type AccountLimits = Static<typeof AccountLimits>;

export const Me = Type.Object({
  account: AccountProfile,
  limits: AccountLimits,
  usage: Type.Object({
    browserSeconds: Type.Integer({ description: 'Billed so far' }),
    remainingSeconds: Type.Integer({ description: 'Until the cap; 2147483647: unlimited' }),
    sessions: Type.Integer({ description: 'Sessions that have ended' }),
  }),
});
export type Me = Static<typeof Me>;

const Bytes = { bytesUp: Type.Integer(), bytesDown: Type.Integer() };

export const Usage = Type.Object({
  totals: Type.Object({
    sessions: Type.Integer(),
    browserSeconds: Type.Integer(),
    remainingSeconds: Type.Integer(),
    ...Bytes,
  }),
  days: Type.Array(
    Type.Object({
      date: Type.String({ format: 'date', description: 'UTC; a session counts on the day it ended' }),
      sessions: Type.Integer(),
      browserSeconds: Type.Integer(),
      ...Bytes,
    }),
    {
      maxItems: 30,
      description: 'At most 30 UTC days, oldest first. A session counts on the day it ended',
    },
  ),
});
export type Usage = Static<typeof Usage>;

/** What an account decides for itself. */
export const AccountSettings = Type.Object(
  {
    pageCalls: Type.Boolean({ description: 'Whether page calls and crawls are allowed' }),
  },
  { additionalProperties: false },
);
export type AccountSettings = Static<typeof AccountSettings>;

export const NewKey = Type.Object({
  apiKey: Type.String({ pattern: apiKeyPattern.source, description: 'Shown this once' }),
});
export const Health = Type.Object({
  status: Type.String({ description: '`healthy`' }),
  uptime: Type.Number({ description: 'Seconds since the gateway started' }),
});
