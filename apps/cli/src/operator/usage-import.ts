import { createReadStream } from 'node:fs';
import { readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { type Database, type IngestResult, ingestUsage } from '@turnpike/gateway/administration';
import { CommandError } from '../terminal/command-error.ts';
import { lineReader, type UsageFormat } from './usage-lines.ts';

const batchLines = 10_000;
const maxShownErrors = 20;

export interface ImportProgress {
  doneBytes: number;
  totalBytes: number;
  lines: number;
}

/**
 * Imports a file in batches. Its progress is kept beside the file until it is done, so that an interrupted import
 * resumes there; no line counts twice in any case.
 */
export async function importUsage(
  db: Database,
  file: string,
  format: UsageFormat,
  onProgress: (progress: ImportProgress) => void,
): Promise<IngestResult> {
  const totalBytes = await sizeOf(file);
  const progressFile = `${file}.turnpike-progress`;
  const skipped = await linesDone(progressFile);
  const total: IngestResult = { new: 0, repeated: 0, refused: 0, errors: [] };
  const read = lineReader(format);
  let lines = 0;
  let doneBytes = 0;
  let batch: { line: number; value: () => unknown }[] = [];

  const flush = async () => {
    const result = await ingestUsage(
      { db, now: Date.now },
      batch.map(({ value }) => value),
      'cli',
    );
    total.new += result.new;
    total.repeated += result.repeated;
    total.refused += result.refused;
    for (const error of result.errors) {
      if (total.errors.length < maxShownErrors)
        total.errors.push({ ...error, line: batch[error.line - 1]?.line ?? 0 });
    }
    batch = [];
    await writeFile(progressFile, `${lines}\n`);
    onProgress({ doneBytes, totalBytes, lines });
  };

  for await (const line of createInterface({
    input: createReadStream(file),
    crlfDelay: Number.POSITIVE_INFINITY,
  })) {
    lines += 1;
    doneBytes += Buffer.byteLength(line) + 1;
    if (line.trim() === '') continue;
    // Every line is read, also one that is done: generated ids depend on the lines before.
    const value = remembered(() => read(line));
    const isHeader = format === 'csv' && lines === 1;
    if (lines > skipped && !isHeader) batch.push({ line: lines, value });
    if (batch.length === batchLines) await flush();
  }
  await flush();
  await rm(progressFile, { force: true });
  return total;
}

/** Reads at once, and gives the outcome, or throws it, when it is asked for. */
function remembered(read: () => unknown): () => unknown {
  try {
    const value = read();
    return () => value;
  } catch (error) {
    return () => {
      throw error;
    };
  }
}

async function sizeOf(file: string): Promise<number> {
  try {
    return (await stat(file)).size;
  } catch (cause) {
    throw new CommandError(`${file} cannot be read`, { cause });
  }
}

async function linesDone(progressFile: string): Promise<number> {
  try {
    return Number(await readFile(progressFile, 'utf8')) || 0;
  } catch {
    return 0;
  }
}
