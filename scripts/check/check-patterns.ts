import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type FoundPattern, findPatterns } from './find-patterns.ts';

/**
 * `npm run check:patterns`: fails for a regular expression of shipped code whose time grows faster than its input.
 * recheck decides, a third of a second for each, so what it found linear is kept in `linear-patterns.txt`. With
 * --write it brings that file up to date.
 */
const { values } = parseArgs({ options: { write: { type: 'boolean', default: false } } });
const root = join(import.meta.dirname, '../..');
const listFile = join(import.meta.dirname, 'linear-patterns.txt');
const known = new Set(readFileSync(listFile, 'utf8').split('\n').filter(Boolean));

const files = globSync('{apps,packages}/*/src/**/*.{ts,tsx,js,mjs}', { cwd: root });
const found = files
  .filter((file) => !/\.test\.tsx?$/.test(file))
  .flatMap((file) => findPatterns(file, readFileSync(join(root, file), 'utf8')));

const linear = new Set<string>();
const complaints: string[] = [];
for (const { file, line, pattern, reason } of found) {
  if (reason !== undefined) continue;
  const why = pattern ? await objection(pattern) : 'It is not a constant, so that nothing can be said of it.';
  if (why !== undefined) complaints.push(`${file}:${line}  ${why}`);
}

if (values.write) writeFileSync(listFile, `${[...linear].sort().join('\n')}\n`);
if (complaints.length > 0) {
  console.error(complaints.join('\n'));
  console.error(
    '\nRewrite each as an expression that can match in one way only, or as a loop over the text. If nobody outside can' +
      ' choose the input, or its length has a small bound, put the reason above: // backtracks: <reason>',
  );
  process.exitCode = 1;
} else {
  const exempt = found.filter(({ reason }) => reason !== undefined).length;
  console.log(`${found.length} regular expressions are linear; ${exempt} of them by their input.`);
}

/** Says what is wrong with a pattern, if anything. */
async function objection(pattern: NonNullable<FoundPattern['pattern']>): Promise<string | undefined> {
  const text = `/${pattern.source}/${pattern.flags}`;
  if (!known.has(text) && !linear.has(text)) {
    const result = await check(pattern);
    if (result.status === 'unknown') return `${text}\n    not decided in a minute`;
    if (result.status === 'vulnerable')
      return `${text}\n    ${result.complexity.summary}; try it with ${result.attack.pattern}`;
  }
  linear.add(text);
  return undefined;
}

/** Asks recheck, and if its automata have no answer in time its fuzzer. It is loaded when it is needed. */
async function check({ source, flags }: NonNullable<FoundPattern['pattern']>) {
  // The build in plain JavaScript: the same on every machine, and no program of another's is run.
  process.env['RECHECK_SYNC_BACKEND'] = 'pure';
  const { checkSync } = await import('recheck');
  const options = { timeout: 10_000, seed: 1 };
  const result = checkSync(source, flags, options);
  return result.status === 'unknown'
    ? checkSync(source, flags, { ...options, checker: 'fuzz', timeout: 60_000 })
    : result;
}
