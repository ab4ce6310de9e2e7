import { Type } from 'typebox';
import { regionPattern } from './heartbeat.ts';
import { operatingSystems } from './host.ts';
import { profileNamePattern } from './saved-profile.ts';

/** What a create may ask for, and the numbers that its parser and its schemas share. */

export const lifetimeSeconds = { min: 120, max: 86_400, default: 7200 } as const;
export const versionRange = { min: 1, max: 999 } as const;
export const maxScreen = { width: 7680, height: 4320 } as const;
export const maxMetadataBytes = 16 * 1024;
export const maxWaitSeconds = 60;
export const idleRange = { min: 10, max: 86_400 } as const;

/** How the two create paths write a value: text in a query, JSON in a body. */
interface Notation {
  flag: (description: string) => Type.TSchema;
  integer: (options: Type.TNumberOptions) => Type.TSchema;
}

const inQuery: Notation = {
  flag: (description) => Type.String({ description, examples: ['true'] }),
  integer: (options) => Type.Integer(options),
};

/** `"true"` and `"600"` do as well. */
const inBody: Notation = {
  flag: (description) => Type.Union([Type.Boolean(), Type.String()], { description }),
  integer: ({ description = '', ...range }) =>
    Type.Union([Type.Integer(range), Type.String({ pattern: '^-?\\d+$' })], { description }),
};

const optional = Type.Optional;

function parameters({ flag, integer }: Notation) {
  const version = (end: string) =>
    integer({
      minimum: versionRange.min,
      maximum: versionRange.max,
      description:
        `${end} Chromium major version that the device may claim. Default: the running one; where only one bound ` +
        'is given and lies beyond the running version, the other bound follows it',
    });
  const screen = (side: 'width' | 'height') =>
    integer({ maximum: maxScreen[side], description: `Lowest screen ${side} of the device. Default: any` });
  return {
    proxy: optional(
      Type.String({
        description:
          'Required for a create. The proxy that all traffic of the browser goes through: `http`, `https`, ' +
          '`socks5` or `socks5h`, with its port written out, credentials percent-encoded',
        examples: ['http://user:password@proxy.example:8000'],
      }),
    ),
    os: optional(
      Type.Enum(operatingSystems, {
        default: 'windows',
        description: 'The device that the session claims to be',
      }),
    ),
    headless: optional(flag('Only `true` enables')),
    vnc: optional(flag('`true`: a live view, in `x-vnc-url` and `vncUrl`; not for headless sessions')),
    maxLifetime: optional(
      integer({
        default: lifetimeSeconds.default,
        description:
          `Seconds until the session ends by itself, clamped into ${lifetimeSeconds.min} to ` +
          `${lifetimeSeconds.max}; 0 counts as not given. \`expiresAt\` has the outcome`,
      }),
    ),
    idleTimeout: optional(
      integer({
        minimum: 0,
        maximum: idleRange.max,
        description:
          `Seconds without a CDP or viewer message after which the session is closed, from ${idleRange.min} to ` +
          `${idleRange.max}; 0 or not given: never`,
      }),
    ),
    wait: optional(
      integer({
        minimum: 0,
        maximum: maxWaitSeconds,
        default: 0,
        description: 'Seconds to wait in line for a slot or a seat instead of a 429 or 503 at once',
      }),
    ),
    region: optional(
      Type.String({
        pattern: regionPattern.source,
        description: 'Where the browser is to run, by a name of the operator; without it anywhere',
      }),
    ),
    profile: optional(
      Type.String({
        pattern: profileNamePattern.source,
        description:
          'A saved profile: begins with the cookies, local storage and IndexedDB that the last session left which ' +
          'saved it under this name. A name that was never saved begins empty',
        examples: ['shop'],
      }),
    ),
    saveProfile: optional(
      flag(
        '`true`: saves the profile when the session is closed; comes with `profile`. One session at a time per ' +
          'profile, else 409 `PROFILE_IN_USE`',
      ),
    ),
    sessionId: optional(
      Type.String({
        description:
          'Reconnects to this running session; everything else is ignored and no browser is created. ' +
          'The value of `x-session-id`; the CDP id will not do',
      }),
    ),
    browser_version_min: optional(version('Lowest')),
    browser_version_max: optional(version('Highest')),
    browser_language: optional(
      Type.String({
        maxLength: 256,
        default: 'auto',
        description: 'Accept-Language. `auto` follows the country where the proxy comes out',
        examples: ['de-DE,de;q=0.9,en;q=0.8'],
      }),
    ),
    ui_language: optional(
      Type.String({ maxLength: 256, default: 'auto', description: "The browser's own language" }),
    ),
    screen_width_min: optional(screen('width')),
    screen_height_min: optional(screen('height')),
    force_visibility: optional(
      flag('`true`: a tab in the background goes on reporting that it is visible and focused'),
    ),
  };
}

/** GET /connect. */
export const ConnectQuery = Type.Object({
  ...parameters(inQuery),
  metadata: optional(
    Type.String({
      description:
        'A JSON object, kept on the session. What is no JSON object, or is larger than 16 KiB, is dropped ' +
        'without an error',
      examples: ['{"job":"j-1"}'],
    }),
  ),
});

/** A name that a create's parser may ask for: the schemas have all of them. */
export type ParameterName = keyof typeof ConnectQuery.properties;

const bodyParameters = {
  ...parameters(inBody),
  metadata: optional(
    Type.Object(
      {},
      {
        additionalProperties: true,
        description: 'Kept on the session; at most 16 KiB of JSON. Numbers come back with all their digits',
      },
    ),
  ),
};

/** POST /api/browser/create. Null counts as not given. */
export const CreateBody = Type.Object(
  {
    ...bodyParameters,
    browserParams: optional(
      Type.Object(
        {},
        {
          additionalProperties: true,
          description:
            'The same parameters may stand in this object, as clients of the family send them. A parameter beside ' +
            'it wins over the same one inside',
        },
      ),
    ),
  },
  { additionalProperties: true, description: 'Members that are not known are ignored' },
);

export const CloseBody = Type.Object({
  browserId: optional(Type.String({ description: 'The session id or the CDP id' })),
  idempotencyKey: optional(
    Type.String({
      description:
        'In place of `browserId`, for a create whose answer was lost: the `Idempotency-Key` that it was sent with. The ' +
        'session that it opened is closed. One that is still starting is given up, and not billed. If the create has ' +
        'not arrived yet it will open nothing: it is answered with 410',
    }),
  ),
});

export const maxBulkIds = 100;
const idList = Type.Array(Type.String(), {
  minItems: 1,
  maxItems: maxBulkIds,
  description: 'Session ids or CDP ids',
});
/** POST /api/browser/status/bulk. */
export const BulkStatusBody = Type.Object(
  { browserIds: optional(idList), sessionIds: optional(idList) },
  { description: `One of the lists, or both, which are joined: 1 to ${maxBulkIds} distinct ids` },
);

/** The header under which a create may be sent again. */
export const idempotencyKeyPattern = /^[!-~]{1,255}$/;
export const IdempotencyHeaders = Type.Object({
  'idempotency-key': optional(
    Type.String({
      pattern: idempotencyKeyPattern.source,
      description:
        'Makes a create safe to send again: the same key with the same parameters gives the same session for ' +
        '24 hours, however often and in parallel; with other parameters 422 `IDEMPOTENCY_MISMATCH`; once that ' +
        'session has ended, 410. A create that failed leaves its key free. 1 to 255 visible ASCII characters',
      examples: ['order-4711-attempt'],
    }),
  ),
});
