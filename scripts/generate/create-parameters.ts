import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type CreateParameter, defaultText, helpWithRange } from '@turnpike/contract/create-parameter';
import { camelCase, firstName, parametersIn, snakeCase } from '@turnpike/contract/create-parameters';
import { root, wrapped, writeOrCheck } from './generated-files.ts';

/**
 * Writes what is derived from the table of create parameters and cannot import it: the clients' options, since both
 * clients are published without the rest, and the tables of docs/api.md and of the client's README. With --check it only compares.
 */
const notice =
  'Written by scripts/generate/create-parameters.ts from the table of create parameters: do not edit.';
const clientParameters = parametersIn('client');

/** `Seconds to wait for a free slot or seat, from 0 to 60. Default: 0.` */
function sentences(parameter: CreateParameter): string {
  const otherwise = defaultText(parameter);
  return `${helpWithRange(parameter)}.${otherwise === undefined ? '' : ` Default: ${otherwise}.`}`;
}

function nodeOptions(): string {
  const members = clientParameters.map(
    ([name, parameter]) =>
      `  /** ${sentences(parameter)} */\n  ${camelCase(name)}?: ${nodeType(parameter)};\n`,
  );
  const names = clientParameters.map(([name]) => `  ${camelCase(name)}: '${firstName(name)}',\n`);
  return `// ${notice}

/** What to ask of the browser. */
export interface BrowserOptions {
${members.join('')}}

/** The API's names of these options. */
export const parameterNames: Record<keyof BrowserOptions, string> = {
${names.join('')}};
`;
}

function nodeType(parameter: CreateParameter): string {
  switch (parameter.kind) {
    case 'flag':
      return 'boolean';
    case 'integer':
      return 'number';
    case 'choice':
      return parameter.choices.map((choice) => `'${choice}'`).join(' | ');
    case 'list':
      return 'readonly string[]';
    case 'object':
      return 'Record<string, unknown>';
    case 'text':
      return 'string';
  }
}

function pythonOptions(): string {
  const members = clientParameters.map(
    ([name, parameter]) =>
      `${wrapped(sentences(parameter), '    #: ')}    ${snakeCase(name)}: ${pythonType(parameter)}\n`,
  );
  const renamed = clientParameters
    .filter(([name]) => snakeCase(name) !== firstName(name))
    .map(([name]) => `    "${snakeCase(name)}": "${firstName(name)}",\n`);
  const kinds = new Set(clientParameters.map(([, { kind }]) => kind));
  const collections = ['Mapping', ...(kinds.has('list') ? ['Sequence'] : [])];
  return `# ${notice}

from __future__ import annotations

from collections.abc import ${collections.join(', ')}
from typing import Any, Literal, TypedDict


class BrowserOptions(TypedDict, total=False):
    """What to ask of the browser."""

${members.join('')}

#: The service's names of the options that it does not write as Python does.
RENAMED = {
${renamed.join('')}}
`;
}

function pythonType(parameter: CreateParameter): string {
  switch (parameter.kind) {
    case 'flag':
      return 'bool';
    case 'integer':
      return 'int';
    case 'choice':
      return `Literal[${parameter.choices.map((choice) => `"${choice}"`).join(', ')}]`;
    case 'list':
      return 'Sequence[str]';
    case 'object':
      return 'Mapping[str, Any]';
    case 'text':
      return 'str';
  }
}

/** The tables' rows: `| name | default | what it does |`. */
function rows(
  parameters: readonly (readonly [string, CreateParameter])[],
  nameOf: (name: string) => string,
  link: (page: string) => string,
): string {
  const lines = parameters.map(([name, parameter]) => {
    const otherwise = defaultText(parameter) ?? '';
    const page = parameter.page ? `. See ${link(parameter.page)}` : '';
    const choices = 'choices' in parameter ? `: ${parameter.choices.join(', ')}` : '';
    return `| \`${nameOf(name)}\` | ${otherwise} | ${helpWithRange(parameter)}${choices}${page} |\n`;
  });
  return `| parameter | default | |\n|---|---|---|\n${lines.join('')}`;
}

/** `file` with what stands between its two markers replaced. */
function withTable(file: string, table: string): string {
  const text = readFileSync(join(root, file), 'utf8');
  const marked = /(<!-- create-parameters: [^\n]*-->\n)[\s\S]*?(<!-- end of create-parameters -->)/;
  if (!marked.test(text)) throw new Error(`${file} has no markers for the table of create parameters`);
  return text.replace(marked, (_, begin: string, end: string) => `${begin}\n${table}\n${end}`);
}

const link = (page: string) => `[${page}](${page}.md)`;
const targets = {
  'packages/client/src/browser-options.ts': nodeOptions(),
  'clients/python/src/turnpike/browser_options.py': pythonOptions(),
  'docs/api.md': withTable(
    'docs/api.md',
    rows(parametersIn(), (name) => name, link),
  ),
  'packages/client/README.md': withTable(
    'packages/client/README.md',
    rows(clientParameters, camelCase, (page) => `docs/${page}.md`),
  ),
};

writeOrCheck(targets, 'npm run parameters');
