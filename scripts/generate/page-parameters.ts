import { CrawlParameters } from '@turnpike/contract/crawl';
import { PageFormats, PageParameters } from '@turnpike/contract/page/page-request';
import { wrapped, writeOrCheck } from './generated-files.ts';

/**
 * Writes the clients' options of page calls and crawls from the contract's schemas, since both clients are published without it.
 * With --check it only compares.
 */
const notice =
  'Written by scripts/generate/page-parameters.ts from the parameters of page calls: do not edit.';

/** The part of JSON Schema that the parameters use. */
interface Schema {
  type?: string;
  description?: string;
  const?: string;
  anyOf?: readonly Schema[];
  items?: Schema;
  properties?: Readonly<Record<string, Schema>>;
  patternProperties?: object;
  required?: readonly string[];
}

/** What the clients call the objects, by where they are. A base of others stands after what it has. */
const names: Readonly<Record<string, string>> = {
  gotoOptions: 'GotoOptions',
  viewport: 'Viewport',
  'cookies[]': 'PageCookie',
  authenticate: 'PageLogin',
  'addScriptTag[]': 'ScriptTag',
  'addStyleTag[]': 'StyleTag',
  waitForSelector: 'WaitForSelector',
  waitForFunction: 'WaitForFunction',
  'screenshotOptions.clip': 'ScreenshotClip',
  screenshotOptions: 'ScreenshotOptions',
  'pdfOptions.margin': 'PdfMargin',
  pdfOptions: 'PdfOptions',
  'elements[]': 'ElementToScrape',
};

/** Words that are too many for a line, or are used twice. */
const aliases: Readonly<Record<string, Schema | undefined>> = {
  PageFormat: PageFormats.items,
  WaitUntil: PageParameters.properties.gotoOptions.properties.waitUntil.anyOf[0],
  RejectedType: PageParameters.properties.rejectResourceTypes.items,
};
const wordsOf = ({ anyOf = [] }: Schema): string[] => anyOf.flatMap((each) => each.const ?? []);
const aliasOf = (schema: Schema): string | undefined =>
  Object.keys(aliases).find((name) => String(wordsOf(aliases[name] ?? {})) === String(wordsOf(schema)));
const isWords = ({ anyOf }: Schema): boolean => anyOf?.every((each) => each.const !== undefined) ?? false;
const lineWidth = 110;

interface Shape {
  name: string;
  path: string;
  about: string;
  schema: Schema;
}

const pageSchema = PageParameters as unknown as Schema;
const crawlSchema = CrawlParameters as unknown as Schema;
const shapes: Shape[] = [
  ...Object.entries(names).map(([path, name]) => ({ name, path, about: '', schema: schemaAt(path) })),
  {
    name: 'PageParameters',
    path: '',
    about: 'How a page is loaded, and what is read of it.',
    schema: pageSchema,
  },
  {
    name: 'CrawlParameters',
    path: '',
    about: 'What is crawled, and how fast.',
    schema: crawlSchema,
  },
];

function schemaAt(path: string): Schema {
  let schema: Schema | undefined = pageSchema;
  for (const step of path.match(/\w+|\[\]/g) ?? [])
    schema = step === '[]' ? schema?.items : schema?.properties?.[step];
  if (!schema?.properties) throw new Error(`The parameters of page calls have no object at ${path}`);
  return schema;
}

const nameOf = (path: string): string => {
  const name = names[path];
  if (!name) throw new Error(`The object at ${path} needs a name, in scripts/generate/page-parameters.ts`);
  return name;
};
const inside = (path: string, member: string): string => (path ? `${path}.${member}` : member);
const sentence = (text: string | undefined): string => (text ? text.replace(/(?<!\.)$/, '.') : '');

function nodeOptions(): string {
  const interfaces = shapes.map(({ name, path, about, schema }) => {
    const members = Object.entries(schema.properties ?? {}).map(([member, own]) => {
      const text = sentence(own.description);
      const line = `  /** ${text} */\n`;
      const block = `  /**\n${wrapped(text, '   * ')}   */\n`;
      const comment = text ? (line.length <= lineWidth + 1 ? line : block) : '';
      const mark = schema.required?.includes(member) ? '' : '?';
      return `${comment}  ${member}${mark}: ${nodeType(own, inside(path, member))};\n`;
    });
    return `${about ? `/** ${about} */\n` : ''}export interface ${name} {\n${members.join('')}}\n`;
  });
  const types = Object.entries(aliases).map(([name, schema]) => {
    const words = wordsOf(schema ?? {}).map((word) => `'${word}'`);
    const line = `export type ${name} = ${words.join(' | ')};\n`;
    return line.length <= lineWidth + 1 ? line : `export type ${name} =\n  | ${words.join('\n  | ')};\n`;
  });
  const list = ({ properties = {} }: Schema) =>
    Object.keys(properties)
      .map((name) => `  '${name}',\n`)
      .join('');
  return `// ${notice}

${[...types, ...interfaces].join('\n')}
export const pageParameterNames = [
${list(pageSchema)}] as const satisfies (keyof PageParameters)[];

export const crawlParameterNames = [
${list(crawlSchema)}] as const satisfies (keyof CrawlParameters)[];
`;
}

function nodeType(schema: Schema, path: string): string {
  if (schema.const !== undefined) return `'${schema.const}'`;
  const alias = isWords(schema) ? aliasOf(schema) : undefined;
  if (alias) return alias;
  if (schema.anyOf) return schema.anyOf.map((each) => nodeType(each, path)).join(' | ');
  if (schema.items) {
    const item = nodeType(schema.items, `${path}[]`);
    return `readonly ${item.includes('|') ? `(${item})` : item}[]`;
  }
  if (schema.patternProperties) return 'Readonly<Record<string, string>>';
  if (schema.type === 'object') return nameOf(path);
  return schema.type === 'integer' ? 'number' : String(schema.type);
}

/** `setExtraHTTPHeaders` as `set_extra_http_headers`. */
const snakeCase = (name: string): string =>
  name
    .replace(/([a-z])([A-Z])/g, '$1_$2')
    .replace(/([A-Z]+)([A-Z][a-z])/g, '$1_$2')
    .toLowerCase();

function pythonOptions(): string {
  const classes = shapes.map(({ name, path, about, schema }) => {
    const members = Object.entries(schema.properties ?? {}).map(([member, own]) => {
      const comment = own.description
        ? wrapped(sentence(own.description).replaceAll('`', '``'), '    #: ')
        : '';
      const type = pythonType(own, inside(path, member));
      return `${comment}    ${snakeCase(member)}: ${schema.required?.includes(member) ? `Required[${type}]` : type}\n`;
    });
    const doc = about ? `    """${about}"""\n\n` : '';
    return `class ${name}(TypedDict, total=False):\n${doc}${members.join('')}`;
  });
  const types = Object.entries(aliases).map(([name, schema]) => {
    const words = wordsOf(schema ?? {}).map((word) => `"${word}"`);
    const line = `${name} = Literal[${words.join(', ')}]\n`;
    return line.length <= lineWidth + 1 ? line : `${name} = Literal[\n    ${words.join(',\n    ')},\n]\n`;
  });
  const renamed = new Map(
    shapes
      .flatMap(({ schema }) => Object.keys(schema.properties ?? {}))
      .filter((name) => snakeCase(name) !== name)
      .map((name) => [snakeCase(name), name]),
  );
  const lines = [...renamed].map(([own, name]) => `    "${own}": "${name}",\n`);
  const withMembers = Object.entries(pageSchema.properties ?? {})
    .filter(([, own]) => (own.items ?? own).properties)
    .map(([name]) => `        "${name}",\n`);
  return `# ${notice}

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from typing import Literal, TypedDict

if sys.version_info >= (3, 11):
    from typing import Required
else:
    from typing_extensions import Required

${types.join('')}

${classes.join('\n\n')}

#: The service's names of the parameters, and of their members, that it does not write as Python does.
PAGE_NAMES = {
${lines.join('')}}

#: The parameters whose values are objects with such members, or lists of them.
WITH_MEMBERS = frozenset(
    (
${withMembers.join('')}    )
)
`;
}

function pythonType(schema: Schema, path: string): string {
  if (isWords(schema)) {
    const words = wordsOf(schema).map((word) => `"${word}"`);
    return aliasOf(schema) ?? `Literal[${words.join(', ')}]`;
  }
  if (schema.anyOf) return schema.anyOf.map((each) => pythonType(each, path)).join(' | ');
  if (schema.items) return `Sequence[${pythonType(schema.items, `${path}[]`)}]`;
  if (schema.patternProperties) return 'Mapping[str, str]';
  if (schema.type === 'object') return nameOf(path);
  return { integer: 'int', number: 'float', boolean: 'bool' }[schema.type ?? ''] ?? 'str';
}

writeOrCheck(
  {
    'packages/client/src/page-options.ts': nodeOptions(),
    'clients/python/src/turnpike/page_options.py': pythonOptions(),
  },
  'npm run parameters',
);
