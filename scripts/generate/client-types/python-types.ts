import { snakeCase } from '@turnpike/contract/create-parameters';
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

/** The models of the Python client. */
export function pythonTypes(document: Document, notice: string): string {
  const named = shapes.filter(({ python }) => python !== false);
  const aliases = named.filter((shape) => document.at(shape).enum);
  const classes = named.filter((shape) => !document.at(shape).enum);
  return `# ${notice}
"""The service's answers, with Python's names. Times are aware, in UTC."""

from __future__ import annotations

import datetime
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, Literal

${aliases.map((shape) => alias(shape, document.at(shape).enum ?? [])).join('')}${classes
  .map((shape) => dataclass(document, shape))
  .join('')}`;
}

const nameOf = ({ name, python }: Shape): string => python || name;

/** On one line if it fits. */
function alias(shape: Shape, words: readonly string[]): string {
  const line = `${nameOf(shape)} = ${literal(words)}`;
  if (line.length <= lineWidth) return `${line}\n`;
  return `${nameOf(shape)} = Literal[\n${words.map((word) => `    "${word}",\n`).join('')}]\n`;
}

const literal = (words: readonly string[]): string =>
  `Literal[${words.map((word) => `"${word}"`).join(', ')}]`;

function dataclass(document: Document, shape: Shape): string {
  const base = shapes.find(({ name }) => name === shape.base);
  const members = document.members(shape);
  // A member with a default cannot stand before one without.
  const { required = [], defaulted = [] } = Object.groupBy(members, (member) =>
    hasDefault(member) ? 'defaulted' : 'required',
  );
  const fields = [...required, ...defaulted].map((member) => field(document, shape, member));
  const body = [docString(document, document.at(shape)), fields.join('')];
  const parts = body.filter((part) => part !== '');
  // Nor can one of a class stand after those of its base that have one, unless it is given by its name.
  const isByName = base && required.length > 0 && document.members(base).some(hasDefault);
  return `

@dataclass(frozen=True, slots=True${isByName ? ', kw_only=True' : ''})
class ${nameOf(shape)}${base ? `(${nameOf(base)})` : ''}:
${parts.join('\n')}`;
}

function docString(document: Document, schema: Schema): string {
  const text = said(document, schema);
  return text ? wrapped(`"""${text}"""`, '    ') : '';
}

/** Python's names, in double backquotes as in other docstrings. */
function said(document: Document, schema: Schema): string {
  const nameOf = (name: string) => (isParameter(name) || document.hasMember(name) ? snakeCase(name) : name);
  const text = sentences(schema, nameOf)?.replaceAll('`', '``') ?? '';
  return isFree(schema) ? text : text.replace(/\b[Nn]ull\b/g, 'None');
}

/** What a member is unless it is given: the only value that it can have, or None where it may be left out. */
const defaultOf = ({ schema, isOptional }: Member): string | undefined =>
  schema.const !== undefined ? JSON.stringify(schema.const) : isOptional ? 'None' : undefined;

const hasDefault = (member: Member): boolean => defaultOf(member) !== undefined;

function field(document: Document, shape: Shape, member: Member): string {
  const { name, schema, isOptional, isSecret } = member;
  const text = [said(document, schema), isSecret ? '``repr`` leaves it out.' : ''].filter(Boolean).join(' ');
  const type = `${typeOf(document, shape, schema)}${isOptional ? ' | None' : ''}`;
  const otherwise = defaultOf(member);
  const arguments_ = [...(otherwise === undefined ? [] : [`default=${otherwise}`]), 'repr=False'];
  const value = isSecret ? `field(${arguments_.join(', ')})` : otherwise;
  const line = `    ${name === 'from' ? 'from_' : snakeCase(name)}: ${type}`;
  return `${text ? wrapped(text, '    #: ') : ''}${line}${value === undefined ? '' : ` = ${value}`}\n`;
}

function typeOf(document: Document, shape: Shape, schema: Schema): string {
  if (isNullable(schema)) return `${typeOf(document, shape, withoutNull(schema))} | None`;
  const named = document.shapeOf(schema);
  if (named && named.python !== false) return nameOf(named);
  const found = document.resolved(schema);
  if (found.enum) return literal(found.enum);
  if (found.const !== undefined) return literal([String(found.const)]);
  if (found.items) return `list[${typeOf(document, shape, found.items)}]`;
  if (isFree(found)) return 'Mapping[str, Any]';
  switch (found.type) {
    case 'string':
      return { 'date-time': 'datetime.datetime', date: 'datetime.date' }[found.format ?? ''] ?? 'str';
    case 'integer':
      return 'int';
    case 'number':
      return shape.isExact ? 'Decimal' : 'float';
    case 'boolean':
      return 'bool';
    default:
      return countsOf(document, shape, found);
  }
}

/** Numbers by name, of which only some are there. */
function countsOf(document: Document, shape: Shape, schema: Schema): string {
  const members = document.membersOf(schema);
  const types = new Set(members.map((member) => typeOf(document, shape, member.schema)));
  const [type] = types;
  if (types.size !== 1 || members.some(({ isOptional }) => !isOptional)) {
    const names = members.map(({ name }) => name).join(', ');
    throw new Error(`An object of ${shape.name} needs a name for Python, in shapes.ts: { ${names} }`);
  }
  return `Mapping[str, ${type}]`;
}
