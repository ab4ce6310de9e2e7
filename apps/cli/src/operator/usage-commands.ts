import {
  createOperatorToken,
  listOperatorTokens,
  revokeOperatorToken,
} from '@turnpike/gateway/administration';
import type { Environment } from '@turnpike/process/settings';
import type { Command } from 'commander';
import { CommandError } from '../terminal/command-error.ts';
import { drawRows } from '../terminal/drawing.ts';
import { printJson } from '../terminal/print.ts';
import { withStore } from './store.ts';
import { type ImportProgress, importUsage } from './usage-import.ts';
import { type UsageFormat, usageFormats } from './usage-lines.ts';

interface JsonOption {
  json?: boolean;
}

/** `turnpike usage import`, below the account's own `usage`, and `turnpike operator-token …`. */
export function usageCommands(program: Command, usage: Command, env: Environment): void {
  usage
    .command('import <file>')
    .description(
      'for operators: import usage records from a file; safe to repeat, resumes after an interruption',
    )
    .requiredOption('--format <format>', usageFormats.join(', '))
    .option('--json', 'machine-readable output')
    .action(async (file: string, { format, json = false }: { format: string } & JsonOption) => {
      const known = usageFormats.find((candidate) => candidate === format);
      if (!known) throw new CommandError(`--format must be one of ${usageFormats.join(', ')}`);
      await withStore(env, async (db) => {
        const result = await importUsage(db, file, known as UsageFormat, json ? () => {} : showProgress);
        if (json) return printJson(result);
        if (process.stderr.isTTY) process.stderr.write('\n');
        console.log(`${result.new} new, ${result.repeated} repeated, ${result.refused} refused`);
        for (const { line, reason } of result.errors) console.log(`  line ${line}: ${reason}`);
        if (result.refused > result.errors.length)
          console.log(`  … and ${result.refused - result.errors.length} more`);
      });
    });

  const tokens = program.command('operator-token').description('manage tokens of the operator API');
  tokens
    .command('create')
    .description('create a token and print it, once')
    .requiredOption('--name <name>', 'what it is for')
    .option('--json', 'machine-readable output')
    .action(async ({ name, json }: { name: string } & JsonOption) => {
      const created = await withStore(env, (db) => createOperatorToken(db, name));
      if (json) printJson(created);
      else console.log(created.token);
    });
  tokens
    .command('list')
    .option('--json', 'machine-readable output')
    .action(async ({ json }: JsonOption) => {
      const rows = (await withStore(env, listOperatorTokens)).map(({ id, name, created_at }) => ({
        id,
        name,
        createdAt: new Date(created_at).toISOString(),
      }));
      if (json) printJson(rows);
      else
        console.log(drawRows(rows, 'There are no tokens. Create one with turnpike operator-token create.'));
    });
  tokens
    .command('revoke <id>')
    .description('revoke a token, from the next request on')
    .action((id: string) => withStore(env, (db) => revokeOperatorToken(db, id)));
}

const barWidth = 30;

function showProgress({ doneBytes, totalBytes, lines }: ImportProgress): void {
  if (!process.stderr.isTTY) return;
  const share = totalBytes === 0 ? 1 : Math.min(1, doneBytes / totalBytes);
  const full = Math.round(share * barWidth);
  const bar = '█'.repeat(full) + '░'.repeat(barWidth - full);
  process.stderr.write(`\r${bar} ${Math.round(share * 100)}%  ${lines} lines`);
}
