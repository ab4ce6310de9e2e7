import type { Environment } from '@turnpike/process/settings';
import { type Command, Option } from 'commander';
import { type NoSession, type Session, type SessionStatus, writeJson } from 'turnpike-client';
import { drawFacts, drawTable, paint } from '../terminal/drawing.ts';
import { printJson } from '../terminal/print.ts';
import { bytes, duration, moment, since, until } from '../terminal/wording.ts';
import { type CallFlags, callFlags, gatewayClient, wholeNumber } from './gateway-call.ts';
import { openCommand } from './open-command.ts';

const colours: Record<SessionStatus, (text: string) => string> = {
  ACTIVE: paint.good,
  CLOSED: paint.dim,
  EXPIRED: paint.warn,
  DEAD: paint.bad,
};
const coloured = (status: SessionStatus): string => colours[status]?.(status) ?? status;

/** `turnpike open`, `reconnect`, `ls`, `status`, `change-proxy`, `label`, `rotate` and `close`. */
export function sessionCommands(program: Command, env: Environment): void {
  program.commandsGroup('Browsers:');
  openCommand(program, env);

  callFlags(program.command('reconnect <id>'))
    .description('print the CDP URL of a running session again')
    .addHelpText(
      'after',
      "\nA session outlives its connections. The id is the session's, not the one in its CDP URL.",
    )
    .action(async (id: string, flags: CallFlags) => {
      const client = await gatewayClient(env, flags);
      const cdpUrl = await client.reconnectUrl(id);
      if (flags.json) printJson({ cdpUrl, sessionId: client.sessionId, vncUrl: client.vncUrl ?? null });
      else console.log(cdpUrl);
    });

  callFlags(program.command('ls'))
    .description('list running sessions, or with --all every session')
    .option('-a, --all', 'the permanent record, newest first')
    .addOption(
      new Option('--status <status>', 'with --all: only sessions with this status').choices([
        'ACTIVE',
        'CLOSED',
        'DEAD',
        'EXPIRED',
      ]),
    )
    .option('--name <text>', 'only sessions with this name')
    .option('--tag <tag>', 'only sessions with this tag')
    .option('--limit <n>', 'with --all: at most this many sessions', wholeNumber)
    .action((flags: ListFlags & CallFlags) => (flags.all ? listRecord(env, flags) : listRunning(env, flags)));

  callFlags(program.command('status <ids...>'))
    .description('show a session, by its id or the id in its CDP URL, or several at once')
    .action(async (ids: string[], flags: CallFlags) => {
      const client = await gatewayClient(env, flags);
      const [id = ''] = ids;
      const found = ids.length > 1 ? await client.statuses(ids) : await client.status(id);
      if (flags.json) printJson(found);
      else console.log(Array.isArray(found) ? describeSessions(found) : describeSession(found));
    });

  callFlags(program.command('change-proxy <id> [proxy]'))
    .description('give a running session another proxy: name:NAME, pool:NAME, or a URL in TURNPIKE_PROXY')
    .option('--proxy-key <key>', 'the same key gets the same proxy of a sticky pool')
    .option('--proxy-country <code>', 'for {country} of a saved proxy')
    .action(
      async (
        id: string,
        proxy: string | undefined,
        { proxyKey, proxyCountry, ...flags }: CallFlags & { proxyKey?: string; proxyCountry?: string },
        command: Command,
      ) => {
        const chosen = proxy ?? env['TURNPIKE_PROXY'];
        if (!chosen) return command.error('error: pass the proxy, or set TURNPIKE_PROXY');
        const session = await (await gatewayClient(env, flags)).changeProxy(id, {
          proxy: chosen,
          ...(proxyKey && { proxyKey }),
          ...(proxyCountry && { proxyCountry }),
        });
        if (flags.json) printJson(session);
        else console.log(describeSession(session));
      },
    );

  callFlags(program.command('label <id>'))
    .description('change the name and the tags of a session')
    .option('--name <text>', "another name; '' removes it")
    .option('--tags <tag,...>', "other tags, in place of all that it has; '' removes them")
    .action(
      async (
        id: string,
        { name, tags, ...flags }: CallFlags & { name?: string; tags?: string },
        command: Command,
      ) => {
        if (name === undefined && tags === undefined) command.error('error: pass --name, --tags or both');
        const session = await (await gatewayClient(env, flags)).changeLabels(id, {
          ...(name === undefined ? {} : { name: name || null }),
          ...(tags === undefined ? {} : { tags: tags ? tags.split(',').map((tag) => tag.trim()) : null }),
        });
        if (flags.json) printJson(session);
        else console.log(describeSession(session));
      },
    );

  callFlags(program.command('rotate <id>'))
    .description('give a running session another exit of its template or pool')
    .action(async (id: string, flags: CallFlags) => {
      const session = await (await gatewayClient(env, flags)).rotate(id);
      if (flags.json) printJson(session);
      else console.log(describeSession(session));
    });

  callFlags(program.command('close [id]'))
    .description('close a session, or with --all every running one; safe to repeat')
    .option('-a, --all', 'every running session of the account')
    .action(async (id: string | undefined, flags: { all?: boolean } & CallFlags, command: Command) => {
      if ((id === undefined) === !flags.all) command.error('error: pass either the id of a session or --all');
      const client = await gatewayClient(env, flags);
      const ids = id === undefined ? (await client.listBrowsers()).map(({ browserId }) => browserId) : [id];
      const closed = await Promise.all(ids.map((each) => client.close(each)));
      if (flags.json) printJson(id === undefined ? closed : closed[0]);
      else for (const { browserId, status } of closed) console.log(`${browserId}  ${coloured(status)}`);
    });
}

interface ListFlags {
  all?: boolean;
  status?: SessionStatus;
  limit?: number;
  name?: string;
  tag?: string;
}

async function listRunning(env: Environment, { name, tag, ...flags }: ListFlags & CallFlags): Promise<void> {
  const running = await (await gatewayClient(env, flags)).listBrowsers();
  const sessions = running.filter(
    (each) => (name ?? each.name) === each.name && (tag === undefined || each.tags?.includes(tag)),
  );
  if (flags.json) return printJson(sessions);
  if (sessions.length === 0) return console.log(paint.dim('No browser runs. Open one with turnpike open.'));
  const rows = sessions.map(({ browserId, name, tags, status, createdAt, expiresAt }) => [
    browserId,
    labels({ name, tags }),
    coloured(status),
    since(createdAt),
    until(expiresAt),
  ]);
  console.log(drawTable(['session', 'name', 'status', 'age', 'ends in'], rows, ['age', 'ends in']));
}

async function listRecord(
  env: Environment,
  { status, name, tag, limit = Infinity, ...flags }: ListFlags & CallFlags,
): Promise<void> {
  const client = await gatewayClient(env, flags);
  const records = [];
  for await (const record of client.listSessions({
    ...(status && { status }),
    ...(name && { name }),
    ...(tag && { tag }),
  })) {
    if (records.length >= limit) break;
    records.push(record);
  }
  if (flags.json) return printJson(records);
  if (records.length === 0) return console.log(paint.dim('There are no such sessions.'));
  const rows = records.map((record) => [
    record.browserId,
    labels(record),
    coloured(record.status),
    moment(record.createdAt),
    duration(record.durationSeconds),
    duration(record.billedSeconds),
    bytes(record.bytesUp + record.bytesDown),
    [record.endReason, record.endSignal].filter(Boolean).join(' '),
  ]);
  const headings = ['session', 'name', 'status', 'opened (UTC)', 'ran', 'billed', 'traffic', 'why'];
  console.log(drawTable(headings, rows, ['ran', 'billed', 'traffic']));
}

/** The name, and the tags in brackets. */
const labels = ({ name, tags }: { name?: string | undefined; tags?: string[] | undefined }): string =>
  [name, tags && `[${tags.join(' ')}]`].filter(Boolean).join(' ');

function describeSessions(sessions: readonly (Session | NoSession)[]): string {
  const rows = sessions.map((session) =>
    'createdAt' in session
      ? [session.browserId, coloured(session.status), since(session.createdAt)]
      : [session.browserId, paint.bad('not found'), ''],
  );
  return drawTable(['session', 'status', 'age'], rows, ['age']);
}

export function describeSession(session: Session): string {
  const { os, headless, proxy, proxyName, proxyPool } = session.browserParams;
  const saved = [proxyName && `name:${proxyName}`, proxyPool && `of pool:${proxyPool}`].filter(Boolean);
  const running = session.status === 'ACTIVE';
  return drawFacts({
    session: session.browserId,
    name: session.name,
    tags: session.tags?.join(' '),
    status: coloured(session.status),
    'CDP URL': session.cdpUrl,
    'BiDi URL': session.bidiUrl,
    'Playwright URL': session.playwrightUrl,
    'WebDriver URL': session.webdriverUrl,
    'live view': session.vncUrl,
    opened: `${moment(session.createdAt)} UTC`,
    expires: `${moment(session.expiresAt)} UTC${running ? `, in ${until(session.expiresAt)}` : ''}`,
    device: `${os}${headless ? ', headless' : ''}`,
    proxy: typeof proxy === 'string' ? [...saved, proxy].join(' ') : undefined,
    metadata: writeJson(session.metadata),
  });
}
