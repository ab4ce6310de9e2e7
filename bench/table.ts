import { mkdir, readFile, writeFile } from 'node:fs/promises';
import os from 'node:os';
import { join } from 'node:path';

const results = join(import.meta.dirname, 'results');

/** Prints a table and writes it to `bench/results/<name>.md`, with machine and date. */
export async function publish(
  name: string,
  title: string,
  head: string[],
  rows: (string | number)[][],
  notes = '',
): Promise<void> {
  const machine = `${os.cpus().length} cores, ${Math.round(os.totalmem() / 2 ** 30)} GiB, Node ${process.version}, ${await chromiumVersion()}`;
  const text = `# ${title}\n\n${tableOf(head, rows)}\n\n${notes ? `${notes}\n\n` : ''}${machine}, ${new Date().toISOString().slice(0, 10)}.\n`;
  console.log(text);
  await mkdir(results, { recursive: true });
  await writeFile(join(results, `${name}.md`), text);
}

export function tableOf(head: string[], rows: (string | number)[][]): string {
  const line = (cells: (string | number)[]) => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map((_, i) => (i === 0 ? '---' : '--:'))), ...rows.map(line)].join('\n');
}

async function chromiumVersion(): Promise<string> {
  const changelog = await readFile('/var/lib/dpkg/status', 'utf8').catch(() => '');
  const version = /Package: chromium\n[\s\S]*?\nVersion: ([\d.]+)/.exec(changelog)?.[1];
  return `Chromium ${version ?? 'of unknown version'}`;
}
