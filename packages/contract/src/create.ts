import { Type } from 'typebox';
import { type CreateParameter, helpWithRange, type IntegerParameter } from './create-parameter.ts';
import { parametersIn } from './create-parameters.ts';

/** The schemas of a create and of the other calls about sessions, for the OpenAPI document. */

const optional = Type.Optional;

/** What each create path takes, from the table of parameters: text in a query, JSON in a body. */
function parameterSchemas(place: 'query' | 'body'): Record<string, Type.TSchema> {
  const schemaOf = place === 'query' ? querySchema : bodySchema;
  return Object.fromEntries(
    parametersIn(place).flatMap(([name, parameter]): [string, Type.TSchema][] => {
      const schema =
        name === 'proxy_rules' && place === 'body' ? rulesSchema(parameter) : schemaOf(parameter);
      if (parameter.alias === undefined) return [[name, optional(schema)]];
      const older = { ...schema, description: `The older name of \`${name}\``, deprecated: true };
      return [
        [name, optional(schema)],
        [parameter.alias, optional(older)],
      ];
    }),
  );
}

/** The text of the rules, or the rules. */
function rulesSchema(parameter: CreateParameter): Type.TSchema {
  const rule = Type.Object({ hosts: Type.Array(Type.String()), proxy: Type.String() });
  return Type.Union([Type.Array(rule), Type.String()], { description: descriptionOf(parameter) });
}

function querySchema(parameter: CreateParameter): Type.TSchema {
  const description = descriptionOf(parameter);
  switch (parameter.kind) {
    case 'flag':
      return Type.String({ description, examples: ['true'] });
    case 'integer':
      return Type.Integer({ ...boundsOf(parameter), description });
    case 'list':
      return Type.String({ description: `${description}. Separated by commas`, ...examplesOf(parameter) });
    case 'object':
      return Type.String({
        description: `${description}. What is no JSON object, or is larger than ${parameter.maxBytes} bytes, is dropped without an error`,
        ...examplesOf(parameter),
      });
    default:
      return wordSchema(parameter, description);
  }
}

/** `"true"` and `"600"` work as well. */
function bodySchema(parameter: CreateParameter): Type.TSchema {
  const description = descriptionOf(parameter);
  switch (parameter.kind) {
    case 'flag':
      return Type.Union([Type.Boolean(), Type.String()], { description });
    case 'integer':
      return Type.Union([Type.Integer(boundsOf(parameter)), Type.String({ pattern: '^-?\\d+$' })], {
        description,
      });
    case 'list': {
      const items = Type.Array(Type.String({ pattern: parameter.pattern.source }), {
        maxItems: parameter.maxItems,
      });
      return Type.Union([items, Type.String()], { description });
    }
    case 'object':
      return Type.Object(
        {},
        {
          additionalProperties: true,
          description: `${description}; at most ${parameter.maxBytes} bytes of JSON. Numbers come back with all their digits`,
        },
      );
    default:
      return wordSchema(parameter, description);
  }
}

function wordSchema(
  parameter: Extract<CreateParameter, { kind: 'choice' | 'text' }>,
  description: string,
): Type.TSchema {
  if (parameter.kind === 'choice') {
    const { choices, default: otherwise } = parameter;
    return Type.Enum([...choices], {
      ...(otherwise === undefined ? {} : { default: otherwise }),
      description,
    });
  }
  const { pattern, maxLength, auto } = parameter;
  return Type.String({
    ...(pattern && { pattern: pattern.source }),
    ...(maxLength !== undefined && { maxLength }),
    ...(auto && { default: 'auto' }),
    description,
    ...examplesOf(parameter),
  });
}

const examplesOf = ({ example }: CreateParameter) => (example === undefined ? {} : { examples: [example] });

/** The bounds beyond which a number is refused. */
function boundsOf({
  min,
  max,
  outOfRange,
  notGiven,
  default: otherwise,
}: IntegerParameter): Type.TNumberOptions {
  const minimum = notGiven === 'zero' ? 0 : min;
  return {
    ...(minimum !== undefined && !outOfRange && { minimum }),
    ...(max !== undefined && !outOfRange && { maximum: max }),
    ...(otherwise !== undefined && { default: otherwise }),
  };
}

function descriptionOf(parameter: CreateParameter): string {
  const { absent, more } = parameter;
  return [
    helpWithRange(parameter),
    ...(absent === undefined ? [] : [`Default: ${absent}`]),
    ...(parameter.kind === 'flag' ? ['Only `true` enables'] : []),
    ...(more ? [more] : []),
  ]
    .map((sentence) => sentence.replace(/\.$/, ''))
    .join('. ');
}

/** GET /connect. */
export const ConnectQuery = Type.Object(parameterSchemas('query'));

/** POST /api/browser/create. Null counts as not given. */
export const CreateBody = Type.Object(
  {
    ...parameterSchemas('body'),
    browserParams: optional(
      Type.Object(
        {},
        {
          additionalProperties: true,
          description:
            'The same parameters may be in this object, where some published clients put them. A parameter beside ' +
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
