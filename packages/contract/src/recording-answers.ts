import { type Static, Type } from 'typebox';
import { sessionIdPattern } from './ids.ts';

/** What the API and the dashboard say of recordings. */

const Timestamp = Type.String({ format: 'date-time', description: 'ISO 8601, UTC, with milliseconds' });
const Count = Type.Integer({ minimum: 0 });
const Milliseconds = Type.Number({ minimum: 0 });

export const RecordingSummary = Type.Object(
  {
    sessionId: Type.String({ pattern: sessionIdPattern.source }),
    startedAt: Timestamp,
    endedAt: Type.Union([Timestamp, Type.Null()], { description: 'Null while the session runs' }),
    state: Type.Enum(['recording', 'ready'] as const, {
      description: '`ready`: nothing more will come. Both can be read',
    }),
    durationMs: Type.Number({ minimum: 0, description: 'The time of the last event' }),
    events: Count,
    errors: Type.Integer({
      minimum: 0,
      description:
        'Failed requests, statuses from 400 on, exceptions, console errors, failed actions and crashes',
    }),
    pictures: Type.Integer({ minimum: 0, description: 'Those that are kept' }),
    bytes: Type.Integer({ minimum: 0, description: 'What it takes in the storage' }),
    isFull: Type.Boolean({
      description: 'Whether it ended early, because it, or all recordings of the account, grew too large',
    }),
    missingMs: Type.Number({
      minimum: 0,
      description:
        'How much of the session is missing at its end, because it could not be stored; 0: nothing',
    }),
    expiresAt: Type.String({ format: 'date-time', description: 'When it will be deleted' }),
  },
  { description: 'What a session did; see `record`' },
);
export type RecordingSummary = Static<typeof RecordingSummary>;

export const RecordingPage = Type.Object({
  recordings: Type.Array(RecordingSummary),
  nextCursor: Type.Union([Type.String(), Type.Null()], {
    description: 'Give it as `cursor` for the next page; null on the last one',
  }),
});
export type RecordingPage = Static<typeof RecordingPage>;

export const RecordingChunkSummary = Type.Object(
  {
    index: Count,
    fromMs: Milliseconds,
    toMs: Milliseconds,
    events: Count,
    errors: Count,
    pictureTimes: Type.Array(Milliseconds, {
      description: 'Times of its pictures, in their order; empty where they were deleted to make room',
    }),
  },
  { description: 'About two seconds of a recording. Times are milliseconds since its start' },
);
export type RecordingChunkSummary = Static<typeof RecordingChunkSummary>;

export const Recording = Type.Object({
  ...RecordingSummary.properties,
  chunks: Type.Array(RecordingChunkSummary, {
    description: 'Parts of about two seconds, in order. Times are milliseconds since the start',
  }),
});
export type Recording = Static<typeof Recording>;

/** What a client can rely on of each `RecordedEvent`. */
export const AnyRecordedEvent = Type.Object(
  {
    t: Type.Number({ minimum: 0, description: 'Milliseconds since the start' }),
    kind: Type.String(),
    tab: Type.Optional(
      Type.Integer({ minimum: 1, description: 'The number of the tab, from 1, where there is one' }),
    ),
  },
  {
    additionalProperties: true,
    description: 'One thing that happened. The guide to recordings lists the kinds and their members',
  },
);

export const RecordingQuery = Type.Object({
  after: Type.Optional(Type.Integer({ minimum: 0, description: 'Only chunks after this one' })),
});
export const RecordingEventsQuery = Type.Object({
  from: Type.Optional(Type.Integer({ minimum: 0, description: 'The first chunk. Default: 0' })),
  to: Type.Optional(Type.Integer({ minimum: 0, description: 'The last chunk. Default: the last one' })),
});

export const recordingFormats = ['har', 'ndjson', 'webm'] as const;
export type RecordingFormat = (typeof recordingFormats)[number];
export const RecordingExportQuery = Type.Object({
  format: Type.Enum(recordingFormats, {
    description:
      '`har`: HAR 1.2. `ndjson`: all events and pictures, one a line. `webm`: a video of the pictures',
  }),
});

const maxShareHours = 720;
export const ShareRequest = Type.Object({
  hours: Type.Integer({
    minimum: 1,
    maximum: maxShareHours,
    description: `How long the link works: 1 to ${maxShareHours}`,
  }),
});

export const ShareLink = Type.Object({
  url: Type.String({ description: 'Whoever has it can read this recording, and nothing else' }),
  expiresAt: Timestamp,
});
export type ShareLink = Static<typeof ShareLink>;

export const DeletedRecording = Type.Object({
  sessionId: Type.String({ pattern: sessionIdPattern.source }),
});
