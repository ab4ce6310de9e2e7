import { parametersIn } from '@turnpike/contract/create-parameters';
import { type Shape, shapes } from './shapes.ts';

/** The part of JSON Schema that the API's answers use. */
export interface Schema {
  $ref?: string;
  type?: string;
  description?: string;
  enum?: readonly string[];
  const?: string | number | boolean;
  format?: string;
  anyOf?: readonly Schema[];
  items?: Schema;
  properties?: Readonly<Record<string, Schema>>;
  required?: readonly string[];
  additionalProperties?: boolean;
}

export interface Member {
  name: string;
  schema: Schema;
  isOptional: boolean;
  isSecret: boolean;
}

interface Operation {
  operationId: string;
  parameters?: { name: string; schema: Schema }[];
  responses: Record<string, { content?: Record<string, { schema: Schema }> }>;
}

export interface OpenApi {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema> };
}

const reference = '#/components/schemas/';

/** Finds shapes in the OpenAPI document, and their names in a schema that uses them. */
export class Document {
  readonly #openApi: OpenApi;
  readonly #operations: Map<string, Operation>;
  /** Shapes by what is in them. */
  readonly #byContent: Map<string, Shape>;

  constructor(openApi: OpenApi) {
    this.#openApi = openApi;
    const operations = Object.values(openApi.paths).flatMap((methods) => Object.values(methods));
    this.#operations = new Map(operations.map((operation) => [operation.operationId, operation]));
    const named = shapes
      .filter(({ isKeys }) => !isKeys)
      .map((shape) => [this.#content(this.at(shape)), shape] as const);
    // If two have the same content, the first has the name, and the other refers to it.
    this.#byContent = new Map(named.reverse());
  }

  /** The schema of a shape. */
  at({ at, about }: Shape): Schema {
    const [, first = '', rest = ''] = /^(\w+(?:\(\)|\?\w+)?)(.*)$/.exec(at) ?? [];
    let schema = this.resolved(this.#start(first));
    for (const step of rest.match(/\.\w+|\[\]/g) ?? []) {
      const next = step === '[]' ? schema.items : schema.properties?.[step.slice(1)];
      if (!next) throw new Error(`The OpenAPI document has no ${at}`);
      schema = this.resolved(withoutNull(next));
    }
    return about ? { ...schema, description: about } : schema;
  }

  #start(first: string): Schema {
    const [name = '', parameter] = first.split('?');
    const operation = this.#operations.get(name.replace('()', ''));
    const found = parameter
      ? operation?.parameters?.find((each) => each.name === parameter)?.schema
      : name.endsWith('()')
        ? operation?.responses['200']?.content?.['application/json']?.schema
        : this.#openApi.components.schemas[name];
    if (!found) throw new Error(`The OpenAPI document has no ${first}`);
    return found;
  }

  resolved(schema: Schema): Schema {
    if (!schema.$ref) return schema;
    return this.#openApi.components.schemas[schema.$ref.slice(reference.length)] ?? {};
  }

  /** The shape that a schema refers to, or is. */
  shapeOf(schema: Schema): Shape | undefined {
    const component = schema.$ref?.slice(reference.length);
    return (
      shapes.find(({ at, isKeys }) => at === component && !isKeys) ??
      this.#byContent.get(this.#content(schema))
    );
  }

  /** Whether some shape has such a member. */
  hasMember(name: string): boolean {
    return shapes.some((shape) => name in (this.at(shape).properties ?? {}));
  }

  /** The shape that has the names of an object's members. */
  keysOf(schema: Schema): Shape | undefined {
    const content = this.#content(schema);
    return shapes.find((shape) => shape.isKeys && this.#content(this.at(shape)) === content);
  }

  /** The members of a shape that its base does not have. */
  members(shape: Shape): Member[] {
    const base = shapes.find(({ name }) => name === shape.base);
    const inherited = base ? (this.at(base).properties ?? {}) : {};
    return this.membersOf(this.at(shape), shape).filter(({ name }) => !(name in inherited));
  }

  membersOf(schema: Schema, { notNull = [], secrets = [] }: Partial<Shape> = {}): Member[] {
    return Object.entries(schema.properties ?? {}).map(([name, member]) => ({
      name,
      schema: notNull.includes(name) ? withoutNull(member) : member,
      isOptional: !schema.required?.includes(name),
      isSecret: secrets.includes(name),
    }));
  }

  /** What decides whether two schemas are the same shape: not their descriptions and bounds. */
  #content(schema: Schema): string {
    const {
      type,
      enum: words,
      const: value,
      format,
      anyOf,
      items,
      properties,
      required,
      additionalProperties,
    } = this.resolved(schema);
    const parts = [type, words, value, format, required, additionalProperties];
    const inner = [anyOf?.map((each) => this.#content(each)), items && this.#content(items)];
    const members = Object.entries(properties ?? {}).map(([name, member]) => [name, this.#content(member)]);
    return JSON.stringify([...parts, ...inner, members]);
  }
}

/** `X` of `X or null`. */
export function withoutNull(schema: Schema): Schema {
  return schema.anyOf?.find(({ type }) => type !== 'null') ?? schema;
}

export const isNullable = (schema: Schema): boolean =>
  schema.anyOf?.some(({ type }) => type === 'null') ?? false;

/** An object of the caller's own making. */
export const isFree = ({ type, properties }: Schema): boolean =>
  type === 'object' && Object.keys(properties ?? {}).length === 0;

/** Said of every time, at the top of the files. */
const ofAllTimes = 'ISO 8601, UTC, with milliseconds';

/** What the document says of a schema, with names as the language has them. In free objects they are the API's own. */
export function sentences(schema: Schema, nameOf: (name: string) => string): string | undefined {
  const { description } = schema;
  if (!description || description === ofAllTimes) return undefined;
  const text = isFree(schema)
    ? description
    : description.replace(/`(\w+)`/g, (_, name: string) => `\`${nameOf(name)}\``);
  return text.endsWith('.') ? text : `${text}.`;
}

const parameters = new Set<string>(parametersIn('client').map(([name]) => name));

/** Whether clients have this as an option of a create. */
export const isParameter = (name: string): boolean => parameters.has(name);
