import type { Environment } from '@turnpike/process/settings';
import { type Command, Option } from 'commander';
import { type AccountEvent, type EventType, writeJson } from 'turnpike-client';
import { drawFacts, drawTable, paint } from '../terminal/drawing.ts';
import { printJson } from '../terminal/print.ts';
import { moment } from '../terminal/wording.ts';
import { type CallFlags, callFlags, gatewayClient, wholeNumber } from './gateway-call.ts';

/** Not imported, because the contract's module would load all its schemas. */
const eventTypes: EventType[] = [
  'session.started',
  'session.closed',
  'session.expired',
  'session.dead',
  'recording.ready',
  'usage.80',
  'usage.cap_reached',
  'crawl.started',
  'crawl.progress',
  'crawl.finished',
  'session.proxy_failed',
  'session.exit_changed',
  'proxy.failing',
  'proxy.recovered',
  'proxy.exit_changed',
];

/** `turnpike events` and `webhooks`: the account's events. */
export function eventCommands(program: Command, env: Environment): void {
  callFlags(program.command('events'))
    .description('stream session events, until interrupted')
    .option('--last-event-id <n>', 'start after this event, up to 30 days back', wholeNumber)
    .addHelpText(
      'after',
      '\nWith --json each event is a line of JSON; its seq is what --last-event-id takes.',
    )
    .action(async ({ lastEventId, ...flags }: { lastEventId?: number } & CallFlags) => {
      const client = await gatewayClient(env, flags);
      for await (const event of client.events(lastEventId === undefined ? {} : { lastEventId })) {
        console.log(flags.json ? writeJson(event) : describeEvent(event));
      }
    });

  const webhooks = program.command('webhooks').description('send the same events to your URLs');
  callFlags(webhooks.command('ls'))
    .description('list webhooks')
    .action(async (flags: CallFlags) => {
      const all = await (await gatewayClient(env, flags)).webhooks.list();
      if (flags.json) return printJson(all);
      if (all.length === 0)
        return console.log(paint.dim('There are no webhooks. Create one with turnpike webhooks add.'));
      const rows = all.map(({ id, url, events, status }) => [id, status, events.join(' ') || 'all', url]);
      console.log(drawTable(['webhook', 'status', 'events', 'URL'], rows));
    });

  callFlags(webhooks.command('add <url>'))
    .description('create a webhook and print its signing secret, once')
    .addOption(new Option('--events <types...>', 'only these (default: all)').choices(eventTypes))
    .action(async (url: string, { events, ...flags }: { events?: EventType[] } & CallFlags) => {
      const client = await gatewayClient(env, flags);
      const webhook = await client.webhooks.create({ url, ...(events ? { events } : {}) });
      if (flags.json) printJson(webhook);
      else console.log(drawFacts({ webhook: webhook.id, secret: webhook.secret }));
    });

  callFlags(webhooks.command('rm <id>'))
    .description('delete a webhook, with its pending deliveries')
    .action(async (id: string, flags: CallFlags) => {
      await (await gatewayClient(env, flags)).webhooks.delete(id);
      if (flags.json) printJson({ id });
    });

  callFlags(webhooks.command('deliveries <id>'))
    .description('list the latest hundred deliveries')
    .action(async (id: string, flags: CallFlags) => {
      const latest = await (await gatewayClient(env, flags)).webhooks.deliveries(id);
      if (flags.json) return printJson(latest);
      const rows = latest.map((each) => [
        each.eventId,
        each.type,
        each.status,
        String(each.attempts),
        each.lastError ?? '',
      ]);
      console.log(drawTable(['event', 'type', 'status', 'attempts', 'last error'], rows, ['attempts']));
    });

  callFlags(webhooks.command('replay <id>'))
    .description('send one event again, or all since a time')
    .option('--event <id>', 'the event, such as evt_…')
    .option('--since <time>', 'all events since then, such as 2026-01-31T00:00:00Z')
    .action(
      async (
        id: string,
        { event, since, ...flags }: { event?: string; since?: string } & CallFlags,
        command: Command,
      ) => {
        const which = event ? { eventId: event } : { since: since ?? '' };
        if ((event === undefined) === (since === undefined)) {
          command.error('error: give either --event or --since');
        }
        const replayed = await (await gatewayClient(env, flags)).webhooks.replay(id, which);
        if (flags.json) printJson({ replayed });
        else console.log(`${replayed} ${replayed === 1 ? 'event' : 'events'} will be sent again.`);
      },
    );
}

function describeEvent({ seq, type, timestamp, data }: AccountEvent): string {
  const { browserId, endReason, endSignal, browserSeconds, browserSecondsCap } = data;
  const { proxy, cause, error, exitIp } = data;
  const what =
    browserId || proxy
      ? [browserId, proxy, cause, error, exitIp, endReason, endSignal]
      : [`${browserSeconds} of ${browserSecondsCap} seconds used`];
  return [paint.dim(`${seq}  ${moment(timestamp)}`), type.padEnd(17), ...what.filter(Boolean)].join('  ');
}
