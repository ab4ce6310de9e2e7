import { camelCase } from '@turnpike/contract/create-parameters';
import { wrapped } from '../generated-files.ts';
import {
  type Document,
  isFree,
  isNullable,
  isParameter,
  type Member,
  type Schema,
  sentences,
  withoutNull,
} from './document.ts';
import { type Shape, shapes } from './shapes.ts';

const lineWidth = 110;

/** What JSON does not tell of members, by their names. */
const notes: Readonly<Record<string, string>> = {
  metadata: 'An integer past 2^53 is a bigint with all its digits.',
};

/** The types of the Node client. */
export function nodeTypes(document: Document, notice: string): string {
  const declarations = shapes
    .filter(({ node }) => node !== false)
    .map((shape) => `${comment(document.at(shape), '')}${declaration(document, shape)}`);
  return `// ${notice}

/** The service's answers. Times are ISO 8601, UTC, with milliseconds. */

${declarations.join('\n')}`;
}

function declaration(document: Document, shape: Shape): string {
  const { name, base, isKeys } = shape;
  const schema = document.at(shape);
  if (isKeys) return union(name, Object.keys(schema.properties ?? {}));
  if (schema.enum) return union(name, schema.enum);
  const members = document.members(shape);
  if (base && members.length === 0) return `export type ${name} = ${base};\n`;
  const open = schema.additionalProperties ? '  [member: string]: unknown;\n' : '';
  return `export interface ${name}${base ? ` extends ${base}` : ''} {\n${lines(document, members, '  ')}${open}}\n`;
}

/** On one line if it fits. */
function union(name: string, words: readonly string[]): string {
  const quoted = words.map((word) => `'${word}'`);
  const line = `export type ${name} = ${quoted.join(' | ')};`;
  if (line.length <= lineWidth) return `${line}\n`;
  return `export type ${name} =\n${quoted.map((word) => `  | ${word}`).join('\n')};\n`;
}

const lines = (document: Document, members: readonly Member[], indent: string): string =>
  members
    .map(({ name, schema, isOptional }) => {
      const type = typeOf(document, schema, indent);
      return `${comment(schema, indent, notes[name])}${indent}${name}${isOptional ? '?' : ''}: ${type};\n`;
    })
    .join('');

function comment(schema: Schema, indent: string, note?: string): string {
  const text = [sentences(schema, (name) => (isParameter(name) ? camelCase(name) : name)), note]
    .filter(Boolean)
    .join(' ');
  if (!text) return '';
  const line = `${indent}/** ${text} */\n`;
  return line.length <= lineWidth + 1 ? line : `${indent}/**\n${wrapped(text, `${indent} * `)}${indent} */\n`;
}

function typeOf(document: Document, schema: Schema, indent: string): string {
  if (isNullable(schema)) return `${typeOf(document, withoutNull(schema), indent)} | null`;
  const shape = document.shapeOf(schema);
  if (shape && shape.node !== false) return shape.name;
  const found = document.resolved(schema);
  if (found.enum) return found.enum.map((word) => `'${word}'`).join(' | ');
  if (found.const !== undefined) return JSON.stringify(found.const).replaceAll('"', "'");
  if (found.items) {
    const item = typeOf(document, found.items, indent);
    return / \| [^}]*$/.test(item) ? `(${item})[]` : `${item}[]`;
  }
  if (isFree(found)) return 'Record<string, unknown>';
  const keys = document.keysOf(found);
  if (keys) return `{ [name in ${keys.name}]?: number }`;
  if (found.type === 'object') {
    return `{\n${lines(document, document.membersOf(found), `${indent}  `)}${indent}}`;
  }
  return found.type === 'integer' ? 'number' : String(found.type);
}
