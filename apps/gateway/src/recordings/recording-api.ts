import {
  RecordingEventsQuery,
  RecordingExportQuery,
  RecordingQuery,
  ShareRequest,
} from '@turnpike/contract/recording-answers';
import { Type } from 'typebox';
import { type ApiDescription, json } from '../http/openapi/api-description.ts';

/** OpenAPI descriptions of the routes of recordings. */

const common = { tag: 'Recordings', security: ['apiKey'] } as const;
const id = Type.String({ description: 'The session id or the CDP id' });
const params = Type.Object({ id });
const attachment = Type.Object({ 'content-disposition': Type.String({ description: 'A file name' }) });

const summary = {
  sessionId: 'br_4f3c2b1a09f8e7d6c5b4a392',
  startedAt: '2026-11-15T03:00:00.000Z',
  endedAt: '2026-11-15T03:04:10.000Z',
  state: 'ready',
  durationMs: 249_812.4,
  events: 1834,
  errors: 3,
  pictures: 121,
  bytes: 7_340_032,
  isFull: false,
  missingMs: 0,
  expiresAt: '2026-11-22T03:04:10.000Z',
};

export const recordingsApi: ApiDescription = {
  ...common,
  id: 'listRecordings',
  summary: 'List recordings',
  query: Type.Object({
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, default: 50 })),
    cursor: Type.Optional(Type.String({ description: '`nextCursor` of the page before' })),
  }),
  answers: {
    200: { description: 'Newest first.', example: { recordings: [summary], nextCursor: null } },
  },
  errors: ['badRequest'],
};

export const recordingApi: ApiDescription = {
  ...common,
  id: 'getRecording',
  summary: 'Read a recording',
  description:
    'What there is to read, in chunks of about two seconds. While the session runs, ask again with `after`.',
  params,
  query: RecordingQuery,
  answers: {
    200: {
      description: 'The recording and its chunks.',
      example: {
        ...summary,
        chunks: [{ index: 0, fromMs: 0, toMs: 1984.2, events: 41, errors: 0, pictureTimes: [210.5, 1250] }],
      },
    },
  },
  errors: ['badRequest', 'recordingNotFound', 'tooManyReads', 'busy'],
};

export const recordingEventsApi: ApiDescription = {
  ...common,
  id: 'getRecordingEvents',
  summary: 'Read the events of a recording',
  description:
    'One event a line, in order. `t` is in milliseconds since the start, `kind` says what it is. See the guide for all.',
  params,
  query: RecordingEventsQuery,
  answers: {
    200: {
      description: 'The events of the chunks `from` to `to`.',
      content: {
        'application/x-ndjson': {
          schema: Type.String(),
          example: '{"t":12.4,"tab":1,"kind":"navigated","url":"https://example.com/","isMainFrame":true}\n',
        },
      },
    },
  },
  errors: ['badRequest', 'recordingNotFound', 'recordingUnavailable', 'tooManyReads', 'busy'],
};

export const recordingPictureApi: ApiDescription = {
  ...common,
  id: 'getRecordingPicture',
  summary: 'Read a picture of a recording',
  params: Type.Object({
    id,
    chunk: Type.String({ pattern: '^\\d{1,9}$', description: 'The index of the chunk' }),
    picture: Type.String({ pattern: '^\\d{1,9}$', description: 'Its place in `pictureTimes`, from 0' }),
  }),
  answers: {
    200: {
      description: 'The picture.',
      headers: Type.Object({ 'x-content-type-options': Type.Literal('nosniff') }),
      content: { 'image/jpeg': { schema: Type.String() } },
    },
  },
  errors: ['badRequest', 'recordingNotFound', 'recordingUnavailable', 'tooManyReads', 'busy'],
};

export const recordingExportApi: ApiDescription = {
  ...common,
  id: 'exportRecording',
  summary: 'Export a recording',
  params,
  query: RecordingExportQuery,
  answers: {
    200: {
      description: 'The file.',
      headers: attachment,
      content: {
        'application/har+json': { schema: Type.String() },
        'application/x-ndjson': { schema: Type.String() },
        'video/webm': { schema: Type.String() },
      },
    },
  },
  errors: [
    'badRequest',
    'recordingNotFound',
    'noPictures',
    'recordingUnavailable',
    'videoUnavailable',
    'tooManyReads',
    'busy',
  ],
};

export const deleteRecordingApi: ApiDescription = {
  ...common,
  id: 'deleteRecording',
  summary: 'Delete a recording',
  description: 'A session that is being recorded goes on, unrecorded.',
  params,
  answers: { 200: { description: 'The recording is deleted.' } },
  errors: ['recordingNotFound', 'recordingUnavailable'],
};

export const shareRecordingApi: ApiDescription = {
  ...common,
  id: 'shareRecording',
  summary: 'Create a share link',
  description:
    'A link to the player for people without an account. It cannot be revoked: delete the recording, or wait.',
  params,
  body: json(ShareRequest, { hours: 24 }),
  answers: {
    200: {
      description: 'The link. It expires with the recording, or before.',
      example: {
        url: 'https://turnpike.example/shared-recording#token=…',
        expiresAt: '2026-11-16T03:10:00.000Z',
      },
    },
  },
  errors: ['badRequest', 'recordingNotFound'],
};
