import { spawn } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { scratchDirectory } from '../../tests/fixtures/process/scratch-directory.ts';
import { tableOf } from '../table.ts';
import { type PageResults, resultsInPages } from './in-pages.ts';
import { plainText } from './plain-text.ts';
import { type Score, shingleScore, wordScore } from './score.ts';
import { articleSet, type SetPage, webSet } from './sets.ts';

/*
 * Compares the Markdown of pages with what people say is their main content. See README.md for the sets.
 *
 *     node bench/markdown/quality.ts --articles <directory> --web <directory> --python <program> [--every 1]
 */

const { values } = parseArgs({
  options: {
    articles: { type: 'string' },
    web: { type: 'string' },
    part: { type: 'string', default: 'test' },
    python: { type: 'string' },
    every: { type: 'string', default: '1' },
  },
});
if (!values.articles || !values.web || !values.python) {
  throw new Error('--articles, --web and --python are required. See bench/markdown/README.md.');
}

interface Trafilatura {
  version: string;
  texts: Map<string, { withComments: string; withoutComments: string }>;
}

/** What Trafilatura finds, in a process of its own. */
async function runTrafilatura(python: string, pages: readonly SetPage[]): Promise<Trafilatura> {
  await using scratch = await scratchDirectory('markdown');
  const child = spawn(python, [join(import.meta.dirname, 'trafilatura-text.py')], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const texts: Trafilatura['texts'] = new Map();
  let version = '';
  const reading = (async () => {
    for await (const line of createInterface({ input: child.stdout })) {
      const answer = JSON.parse(line);
      if (answer.version) version = answer.version;
      else texts.set(answer.id, answer);
    }
  })();
  for (const page of pages) {
    const file = join(scratch.path, `${page.id}.html`);
    await writeFile(file, await page.html());
    child.stdin.write(`${JSON.stringify({ id: page.id, file })}\n`);
  }
  child.stdin.end();
  await reading;
  return { version, texts };
}

type TextOf = (results: PageResults | undefined, id: string) => string;

async function compare(title: string, pages: readonly SetPage[], score: typeof wordScore): Promise<string> {
  const trafilatura = await runTrafilatura(values.python as string, pages);
  const results = await resultsInPages(pages);
  const ways: [name: string, text: TextOf][] = [
    ['Turnpike', (found) => plainText(found?.ours ?? '')],
    ['Readability', (found) => plainText(found?.readability ?? '')],
    [`Trafilatura ${trafilatura.version}`, (_, id) => trafilatura.texts.get(id)?.withComments ?? ''],
    [
      `Trafilatura ${trafilatura.version}, without comments`,
      (_, id) => trafilatura.texts.get(id)?.withoutComments ?? '',
    ],
    ['Turndown of the body', (found) => plainText(found?.turndown ?? '')],
  ];
  const scoreOf = (some: readonly SetPage[], text: TextOf): Score =>
    score(some.map(({ id, truth }) => ({ truth, text: text(results.get(id), id) })));
  const figure = (value: number) => value.toFixed(3);
  const rows = ways.map(([name, text]) => {
    const { f1, precision, recall } = scoreOf(pages, text);
    const empty = pages.filter(({ id }) => text(results.get(id), id).trim() === '').length;
    return [name, figure(f1), figure(precision), figure(recall), empty];
  });
  const head = ['', 'F1', 'precision', 'recall', 'empty'];
  const kinds = [...new Set(pages.map(({ kind }) => kind))].sort();
  const byKind = ways.map(([name, text]) => [
    name,
    ...kinds.map((kind) =>
      figure(
        scoreOf(
          pages.filter((page) => page.kind === kind),
          text,
        ).f1,
      ),
    ),
  ]);
  const kindHead = [
    'F1 by kind',
    ...kinds.map((kind) => `${kind} (${pages.filter((page) => page.kind === kind).length})`),
  ];
  const times = [...results.values()].map(({ milliseconds }) => milliseconds).sort((a, b) => a - b);
  const sources = Map.groupBy(results.values(), ({ source }) => source);
  const counts = [...sources].map(([source, found]) => `${source} ${found.length}`).join(', ');
  const time = (share: number) => Math.round(times[Math.floor(share * times.length)] ?? 0);
  return [
    `## ${title}`,
    tableOf(head, rows),
    ...(kinds.length > 1 ? [tableOf(kindHead, byKind)] : []),
    `Turnpike's came from: ${counts}. Its script took ${time(0.5)} ms in the median page, ${time(0.95)} ms in the 95th of 100.`,
  ].join('\n\n');
}

const every = Number(values.every);
const some = (pages: SetPage[]) => pages.filter((_, index) => index % every === 0);
const articles = some(await articleSet(values.articles));
const web = some(await webSet(values.web, values.part));
const sections = [
  await compare(
    `article-extraction-benchmark, ${articles.length} articles, shingles of four words`,
    articles,
    shingleScore,
  ),
  await compare(`WCXB, ${values.part} part, ${web.length} pages, words`, web, wordScore),
];
const share = every === 1 ? '' : ` This run has one page of ${every}.`;
const text = `# Markdown of pages

Main content of saved pages, as text made of the Markdown, compared with what people say it is. Each set is scored as its own script does. All pages ran in Chromium, without scripts and with nothing but their own HTML; Trafilatura got the same HTML. Readability's content became Markdown by Turndown.${share}

${sections.join('\n\n')}

${cpus().length} cores, Node ${process.version}, ${new Date().toISOString().slice(0, 10)}. Made by \`bench/markdown/quality.ts\`.
`;
console.log(text);
await writeFile(join(import.meta.dirname, '../results/markdown.md'), text);
