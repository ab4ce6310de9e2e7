import { readFile } from 'node:fs/promises';
import { findPackageJSON } from 'node:module';
import { dirname, join } from 'node:path';
import { withoutTypes } from '@turnpike/process/without-types';

/*
 * The scripts are put together from the packages' own files and the modules of `inside`, without a build. Modules come
 * after those that they import. Their names are of one scope, so no two are the same.
 */

const common = ['extracted.ts', 'inside/escape.ts', 'inside/front-matter.ts', 'inside/targets.ts'];
const pageModules = [
  ...common,
  'inside/copy-page.ts',
  'inside/images.ts',
  'inside/code.ts',
  'inside/math.ts',
  'inside/tables.ts',
  'inside/to-markdown.ts',
  'inside/agreement.ts',
  'inside/parse-html.ts',
  'inside/main-content.ts',
  'inside/extract.ts',
];
const pdfModules = [...common, 'inside/pdf-lines.ts', 'inside/pdf-markdown.ts', 'inside/pdf.ts'];

/** Keeps what was made, but no failure. */
function once(make: () => Promise<string>): () => Promise<string> {
  let made: Promise<string> | undefined;
  return async () => {
    made ??= make().catch((error: unknown) => {
      made = undefined;
      throw error;
    });
    return await made;
  };
}

/**
 * The text of an expression: a function that takes `ExtractOptions` and returns `Extracted`. It is for an isolated world
 * of a page. It needs nothing from outside itself, compiles no text, and loads nothing. It throws an `Error` whose
 * message is for the user if a selector is none.
 */
export const extractionScript = once(async () => {
  const [defuddle, readability, math, own] = await Promise.all([
    readPackage('defuddle', 'dist/index.js'),
    readPackage('@mozilla/readability', 'Readability.js'),
    readPackage('mathml-to-latex', 'dist/bundle.min.js'),
    readModules(pageModules),
  ]);
  return `(() => {
'use strict';
const Defuddle = ${commonJs(defuddle)};
const Readability = ${commonJs(readability)};
const MathMLToLaTeX = ${commonJs(math)};
${own}
return extract;
})()`;
});

/**
 * The text of an expression: a function that takes the file and `PdfOptions`, and returns a promise of `Extracted`. The
 * file is an array of strings in base64, each of which can be decoded alone: a length that 4 divides. It is for an
 * isolated world of any page, `about:blank` too. It throws an `Error` whose message is for the user if the file is no
 * PDF, is encrypted, or is too large.
 */
export const pdfScript = once(async () => {
  const [pdfJs, own] = await Promise.all([readPackage('unpdf', 'dist/pdfjs.mjs'), readModules(pdfModules)]);
  return `(() => {
'use strict';
const getDocument = ${moduleExport(pdfJs, 'getDocument')};
${own}
return extractPdf;
})()`;
});

/** Names that reach the network mean nothing in a package: no extractor may load anything. */
const network = 'fetch, XMLHttpRequest, WebSocket, EventSource, Image, Worker, SharedWorker';

/** A CommonJS module as an expression. It does not see the page's own document either. */
function commonJs(text: string): string {
  return `((document, window, define, ${network}) => {
const module = { exports: {} };
((exports) => {
${text}
}).call(module.exports, module.exports);
return module.exports;
})()`;
}

/** What a module without imports exports under a name, as an expression. */
function moduleExport(text: string, name: string): string {
  const at = text.lastIndexOf('export{');
  if (at < 0 || !text.slice(at).includes(name)) throw new Error(`The module has no export ${name}`);
  return `((${network}) => {
${text.slice(0, at).replaceAll('import.meta', '({ url: "" })')}
return ${name};
})()`;
}

async function readPackage(name: string, file: string): Promise<string> {
  const found = findPackageJSON(name, import.meta.url);
  if (found === undefined) throw new Error(`The package ${name} is not installed`);
  return await readFile(join(dirname(found), file), 'utf8');
}

async function readModules(paths: readonly string[]): Promise<string> {
  return (await Promise.all(paths.map(readModule))).join('\n');
}

/** A module as part of one script: without types, imports and exports. */
async function readModule(path: string): Promise<string> {
  const text = withoutTypes(await readFile(join(import.meta.dirname, path), 'utf8'));
  // backtracks: the files are our own.
  return text.replace(/^import [^;]*;$/gm, '').replace(/^export /gm, '');
}
