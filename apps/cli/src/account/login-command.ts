import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import type { Environment } from '@turnpike/process/settings';
import type { Command } from 'commander';
import { Turnpike } from 'turnpike-client';
import { printJson } from '../terminal/print.ts';
import {
  type Credentials,
  credentialsFile,
  forgetCredentials,
  readCredentials,
  storeCredentials,
} from './credentials.ts';

const usualEndpoint = 'http://127.0.0.1:8080';

interface LoginFlags {
  endpoint?: string;
  keyStdin?: boolean;
  json?: boolean;
}

/** `turnpike login` and `logout`. */
export function loginCommands(program: Command, env: Environment): void {
  program
    .command('login')
    .description('store the gateway and your key for these commands')
    .option('--endpoint <url>', "the gateway's URL")
    .option('--key-stdin', 'read the key, and on a second line the statistics token, from standard input')
    .option('--json', 'print JSON, for scripts')
    .addHelpText(
      'after',
      `
Asks for what is not given, tries it, and stores it where only you can read it:
  ${credentialsFile(env) ?? 'nowhere: this user has no home directory, so set XDG_CONFIG_HOME'}
TURNPIKE_URL, TURNPIKE_API_KEY and TURNPIKE_STATS_TOKEN win over it.

Examples:
  turnpike login
  turnpike login --endpoint https://gateway.example --key-stdin < key.txt`,
    )
    .action(async (flags: LoginFlags, command: Command) => {
      if (!flags.keyStdin && !process.stdin.isTTY) {
        command.error('error: standard input is no terminal: pass the key with --key-stdin');
      }
      const credentials = await (flags.keyStdin ? given(env, flags) : asked(env, flags));
      const client = new Turnpike({ ...credentials, timeoutMs: 30_000 });
      const { account } = await client.getMe();
      if (credentials.statsToken) await client.stats(credentials.statsToken).summary('residential');
      const file = await storeCredentials(env, credentials);
      const { endpoint } = credentials;
      if (flags.json) printJson({ endpoint, account: account.email, file });
      else console.log(`Logged in to ${endpoint} as ${account.email}.`);
    });

  program
    .command('logout')
    .description('delete the stored gateway and key')
    .option('--json', 'print JSON, for scripts')
    .action(async ({ json }: { json?: boolean }) => {
      const forgotten = await forgetCredentials(env);
      if (json) printJson({ forgotten });
      else console.log(forgotten ? 'Logged out.' : 'Nothing was stored.');
    });
}

async function given(env: Environment, { endpoint }: LoginFlags): Promise<Credentials> {
  let text = '';
  for await (const chunk of process.stdin) text += chunk;
  const [apiKey = '', statsToken = ''] = text.split('\n').map((line) => line.trim());
  const known = endpoint ?? (await readCredentials(env)).endpoint ?? usualEndpoint;
  return { endpoint: known, apiKey, ...(statsToken ? { statsToken } : {}) };
}

async function asked(env: Environment, flags: LoginFlags): Promise<Credentials> {
  const known = (await readCredentials(env)).endpoint ?? usualEndpoint;
  const endpoint = flags.endpoint ?? ((await ask(`Gateway [${known}]: `)) || known);
  const apiKey = await ask('API key (not shown): ', { hidden: true });
  const statsToken = await ask('Statistics token (not shown; Enter to leave out): ', { hidden: true });
  return { endpoint, apiKey, ...(statsToken ? { statsToken } : {}) };
}

async function ask(question: string, { hidden = false } = {}): Promise<string> {
  process.stderr.write(question);
  const output = hidden ? new Writable({ write: (_chunk, _encoding, done) => done() }) : process.stderr;
  const lines = createInterface({ input: process.stdin, output, terminal: process.stdin.isTTY });
  const answer = await new Promise<string>((resolve, reject) => {
    lines.once('line', resolve);
    lines.once('SIGINT', () => reject(new Error('not logged in')));
    lines.once('close', () => resolve(''));
  });
  lines.close();
  if (hidden) process.stderr.write('\n');
  return answer.trim();
}
