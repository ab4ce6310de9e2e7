import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  globSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { publish, tableOf } from '../bench/table.ts';

const usage = `usage: npm run coverage -- [--half quick|slow] [--report] [--write] [files…]

Runs both halves of the tests, or one, or the given test files, and says how much of the code they execute, by folder:
npm test, and npm run test:all. A half that is not run counts as in its last run, which is right if only tests have
changed since; --report runs none. Writes coverage/lines.txt: the lines that no test executes, and those that only slow
tests do. --write updates bench/results/coverage.md.

Counts what runs in Node: test files, and the services and commands that they start. Not counted: processes that are
killed, a host's DevTools thread outside of test files, and what runs in pages.`;

const root = join(import.meta.dirname, '..');
const output = join(root, 'coverage');
const halves = [
  { name: 'quick', filter: ['--project=!alone', '--tags-filter=!slow'], directory: join(output, 'quick') },
  { name: 'slow', filter: ['--tags-filter=slow'], directory: join(output, 'slow') },
];
const sources = ['apps/{cli,gateway,host,proxy}/src/**/*.ts', 'packages/*/src/**/*.ts'];
const notCounted = ['**/*.test.ts', '**/testing/**', '**/page/**', '**/page-script*.ts'];

interface Position {
  readonly line: number;
  readonly column: number;
}

/** What Vitest writes of a file: where its statements are, and how often each was executed. */
interface FileCoverage {
  readonly statementMap: Record<string, { readonly start: Position }>;
  readonly s: Record<string, number>;
}

/** What Node writes of a script at the end of a process that has NODE_V8_COVERAGE. */
interface ScriptCoverage {
  readonly url: string;
  readonly functions: readonly { readonly ranges: readonly Range[] }[];
}

interface Range {
  readonly startOffset: number;
  readonly endOffset: number;
  readonly count: number;
}

interface Statement {
  readonly line: number;
  readonly offset: number;
  executed: boolean;
}

const { values, positionals } = parseArgs({
  options: {
    half: { type: 'string' },
    report: { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
  allowPositionals: true,
});
const { half: only, help } = values;
if (help || (only !== undefined && !halves.some(({ name }) => name === only))) {
  console.error(usage);
  process.exit(help ? 0 : 2);
}
for (const half of values.report ? [] : halves) if ((only ?? half.name) === half.name) runHalf(half);
await report();

function runHalf({ directory, filter }: (typeof halves)[number]): void {
  rmSync(directory, { recursive: true, force: true });
  const processes = join(directory, 'processes');
  mkdirSync(processes, { recursive: true });
  chmodSync(processes, 0o1777); // Some of them are another user's.
  const options = {
    enabled: 'true',
    provider: 'v8',
    reporter: 'json',
    reportOnFailure: 'true',
    reportsDirectory: directory,
    clean: 'false',
  };
  const lists = { include: sources, exclude: notCounted };
  const flags = [
    ...Object.entries(options).map(([name, value]) => `--coverage.${name}=${value}`),
    ...Object.entries(lists).flatMap(([name, globs]) => globs.map((glob) => `--coverage.${name}=${glob}`)),
  ];
  const vitest = join(root, 'node_modules/vitest/vitest.mjs');
  const { status } = spawnSync(
    process.execPath,
    [vitest, 'run', ...filter, '--passWithNoTests', ...flags, ...positionals],
    { cwd: root, stdio: 'inherit', env: { ...process.env, NODE_V8_COVERAGE: processes } },
  );
  if (status !== 0) process.exitCode = 1;
}

async function report(): Promise<void> {
  const [quick, slow] = halves.map(({ directory }) => executedStatements(directory));
  const folders = new Map<string, { statements: number; test: number; both: number }>();
  const lines: string[] = [];
  for (const file of globSync(sources, { cwd: root, exclude: notCounted }).toSorted()) {
    const inSlow = slow?.get(file);
    for (const [index, { line, executed: inTest }] of (quick?.get(file) ?? []).entries()) {
      const inBoth = inTest || inSlow?.[index]?.executed === true;
      for (const name of [folderOf(file), 'all']) {
        const folder = folders.get(name) ?? { statements: 0, test: 0, both: 0 };
        folder.statements += 1;
        folder.test += Number(inTest);
        folder.both += Number(inBoth);
        folders.set(name, folder);
      }
      if (!inTest) lines.push(`${file}:${line} ${inBoth ? 'only in slow tests' : 'not executed'}`);
    }
  }
  writeFileSync(join(output, 'lines.txt'), `${[...new Set(lines)].join('\n')}\n`);
  const head = ['folder', 'statements', '`npm test`', '`npm run test:all`'];
  const percent = (part: number, whole: number) => `${((100 * part) / whole).toFixed(1)}%`;
  const rows = [...folders]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, { statements, test: inTest, both }]) => [
      name,
      statements,
      percent(inTest, statements),
      percent(both, statements),
    ]);
  const notes =
    "Counted: test files, and the services and commands that they start. Not counted: processes that are killed (such as the gateways of a cluster, for most of `apps/gateway/hosts`), a host's DevTools thread outside of test files (`apps/host/stealth`, `apps/host/switchboard`), and what runs in pages. `npm run coverage -- --write` writes this table.";
  if (values.write) await publish('coverage', 'Statements that the tests execute', head, rows, notes);
  else console.log(tableOf(head, rows));
}

/** `apps/gateway/sessions` for a file below `apps/gateway/src/sessions`. Smaller workspaces are one folder. */
function folderOf(file: string): string {
  const [kind, workspace, , ...below] = file.split('/');
  const large = workspace === 'gateway' || workspace === 'host';
  return [kind, workspace, ...(large && below.length > 1 ? below.slice(0, 1) : [])].join('/');
}

/** The statements of each file, in its order: executed by a test file, or by a process that one started. */
function executedStatements(directory: string): Map<string, Statement[]> {
  const byFile = new Map<string, Statement[]>();
  const summary = join(directory, 'coverage-final.json');
  if (!existsSync(summary)) return byFile;
  const written = JSON.parse(readFileSync(summary, 'utf8'));
  for (const [path, { statementMap, s }] of Object.entries<FileCoverage>(written)) {
    const lineOffsets = offsetsOfLines(readFileSync(path, 'utf8'));
    const statements = Object.entries(statementMap).map(([id, { start }]) => ({
      line: start.line,
      offset: (lineOffsets[start.line - 1] ?? 0) + start.column,
      executed: (s[id] ?? 0) > 0,
    }));
    byFile.set(relative(root, path), statements);
  }
  const processes = join(directory, 'processes');
  for (const name of readdirSync(processes)) addProcess(join(processes, name), byFile);
  return byFile;
}

function offsetsOfLines(text: string): number[] {
  return [0, ...text.matchAll(/\n/g).map(({ index }) => index + 1)];
}

function addProcess(path: string, byFile: Map<string, Statement[]>): void {
  const { result }: { result: ScriptCoverage[] } = JSON.parse(readFileSync(path, 'utf8'));
  // Vitest compiles what it loads: offsets in its processes are not those of the files. It writes its own.
  if (result.some(({ url }) => url.includes('/node_modules/vitest/'))) return;
  for (const { url, functions } of result) {
    const statements = url.startsWith('file://') && byFile.get(relative(root, fileURLToPath(url)));
    if (!statements) continue;
    const ranges = functions.flatMap((one) => one.ranges);
    for (const statement of statements) statement.executed ||= innermost(ranges, statement.offset) > 0;
  }
}

/** How often the smallest range at an offset was executed. Ranges are nested. */
function innermost(ranges: readonly Range[], offset: number): number {
  let smallest: Range | undefined;
  for (const range of ranges) {
    if (offset < range.startOffset || offset >= range.endOffset) continue;
    const size = range.endOffset - range.startOffset;
    if (smallest === undefined || size <= smallest.endOffset - smallest.startOffset) smallest = range;
  }
  return smallest?.count ?? 0;
}
