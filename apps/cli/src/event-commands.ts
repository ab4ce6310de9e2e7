import type { Environment } from '@turnpike/process/settings';
import { type Command, Option } from 'commander';
import { type AccountEvent, type EventType, writeJson } from 'turnpike-client';
import { drawFacts, drawTable, paint } from './drawing.ts';
import { type CallFlags, callFlags, gatewayClient, wholeNumber } from './gateway-call.ts';
import { printJson } from './print.ts';
import { moment } from './wording.ts';

/** The contract's module would load all its schemas with it. */
const eventTypes: EventType[] = [
  'session.started',
  'session.closed',
  'session.expired',
  'session.dead',
  'usage.80',
  'usage.cap_reached',
];

/** `turnpike events` and `webhooks`: what becomes of sessions and hours. */
export function eventCommands(program: Command, env: Environment): void {
  callFlags(program.command('events'))
    .description('follow what becomes of your sessions, until interrupted')
    .option('--last-event-id <n>', 'begin after this event, up to 30 days back', wholeNumber)
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

  const webhooks = program.command('webhooks').description('have the same events sent to URLs of yours');
  callFlags(webhooks.command('ls'))
    .description('list them')
    .action(async (flags: CallFlags) => {
      const all = await (await gatewayClient(env, flags)).webhooks.list();
      if (flags.json) return printJson(all);
      if (all.length === 0) return console.log(paint.dim('There is none. turnpike webhooks add makes one.'));
      const rows = all.map(({ id, url, events, status }) => [id, status, events.join(' ') || 'all', url]);
      console.log(drawTable(['webhook', 'status', 'events', 'URL'], rows));
    });

  callFlags(webhooks.command('add <url>'))
    .description('make one, and print the secret of its signatures, this once')
    .addOption(new Option('--events <types...>', 'only these (default: all)').choices(eventTypes))
    .action(async (url: string, { events, ...flags }: { events?: EventType[] } & CallFlags) => {
      const client = await gatewayClient(env, flags);
      const made = await client.webhooks.create({ url, ...(events ? { events } : {}) });
      if (flags.json) printJson(made);
      else console.log(drawFacts({ webhook: made.id, secret: made.secret }));
    });

  callFlags(webhooks.command('rm <id>'))
    .description('end one, with what it was still to be sent')
    .action(async (id: string, flags: CallFlags) => {
      await (await gatewayClient(env, flags)).webhooks.delete(id);
      if (flags.json) printJson({ id });
    });

  callFlags(webhooks.command('deliveries <id>'))
    .description('show what became of the latest hundred')
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
    .description('send again: one event, or all since a time')
    .option('--event <id>', 'this one, such as evt_…')
    .option('--since <time>', 'all since then, such as 2026-01-31T00:00:00Z')
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
        else console.log(`${replayed} on their way again.`);
      },
    );
}

function describeEvent({ seq, type, timestamp, data }: AccountEvent): string {
  const { browserId, endReason, endSignal, browserSeconds, browserSecondsCap } = data;
  const what = browserId
    ? [browserId, endReason, endSignal]
    : [`${browserSeconds} of ${browserSecondsCap} seconds used`];
  return [paint.dim(`${seq}  ${moment(timestamp)}`), type.padEnd(17), ...what.filter(Boolean)].join('  ');
}
