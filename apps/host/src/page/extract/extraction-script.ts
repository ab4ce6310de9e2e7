import { readFile } from 'node:fs/promises';
import { findPackageJSON } from 'node:module';
import { dirname, join } from 'node:path';
import { withoutTypes } from '@turnpike/process/without-types';

/** The modules of `inside`, each after those that it imports. Their names are of one scope, so no two are the same. */
const modules = [
  'extracted.ts',
  'inside/escape.ts',
  'inside/front-matter.ts',
  'inside/copy-page.ts',
  'inside/images.ts',
  'inside/code.ts',
  'inside/math.ts',
  'inside/tables.ts',
  'inside/to-markdown.ts',
  'inside/main-content.ts',
  'inside/targets.ts',
  'inside/extract.ts',
];

let extraction: Promise<string> | undefined;

/**
 * The text of an expression: a function that takes `ExtractOptions` and returns `Extracted`. It is for an isolated world
 * of a page. It needs nothing from outside itself, and compiles no text. A selector that is none is an error.
 */
export async function extractionScript(): Promise<string> {
  extraction ??= assemble().catch((error: unknown) => {
    extraction = undefined;
    throw error;
  });
  return await extraction;
}

async function assemble(): Promise<string> {
  const [defuddle, readability, math, own] = await Promise.all([
    readPackage('defuddle', 'dist/index.js'),
    readPackage('@mozilla/readability', 'Readability.js'),
    readPackage('mathml-to-latex', 'dist/bundle.min.js'),
    Promise.all(modules.map(readModule)),
  ]);
  return `(() => {
'use strict';
const Defuddle = ${commonJs(defuddle)};
const Readability = ${commonJs(readability)};
const MathMLToLaTeX = ${commonJs(math)};
${own.join('\n')}
return extract;
})()`;
}

/**
 * A CommonJS module as an expression. Names that can reach the network, or the page's own document, mean nothing in it:
 * no extractor may load or change anything.
 */
function commonJs(text: string): string {
  return `((document, window, fetch, XMLHttpRequest, WebSocket, EventSource, Image, Worker, define) => {
const module = { exports: {} };
((exports) => {
${text}
}).call(module.exports, module.exports);
return module.exports;
})()`;
}

async function readPackage(name: string, file: string): Promise<string> {
  const found = findPackageJSON(name, import.meta.url);
  if (found === undefined) throw new Error(`The package ${name} is not installed`);
  return await readFile(join(dirname(found), file), 'utf8');
}

/** A module as part of one script: without types, imports and exports. */
async function readModule(path: string): Promise<string> {
  const text = withoutTypes(await readFile(join(import.meta.dirname, path), 'utf8'));
  return text.replace(/^import [^;]*;$/gm, '').replace(/^export /gm, '');
}
