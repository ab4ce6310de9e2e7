import type { SessionRow } from '../../apps/gateway/src/store/tables.ts';
import type { ClusterHarness } from './harness.ts';
import type { Model } from './model.ts';
import { quick } from './quick-time.ts';

/** What does not hold of a cluster that is whole again; empty: all does. */
export async function objections(
  harness: ClusterHarness,
  model: Model,
  accountId: string,
): Promise<string[]> {
  const rows = await harness.db
    .selectFrom('sessions')
    .selectAll()
    .where('account_id', '=', accountId)
    .execute();
  return [
    ...(await hostsAreBack(harness)),
    ...(await activeAreRunning(harness)),
    ...rows.flatMap((row) => model.objection(row) ?? []),
    ...onePerKey(rows),
    ...(await totals(harness, accountId, rows)),
    ...(await oneEventEach(harness, accountId, rows)),
    ...[...model.known.keys()]
      .filter((id) => !rows.some((row) => row.id === id))
      .map((id) => `${id} has no record`),
  ];
}

async function hostsAreBack({ db, hosts }: ClusterHarness): Promise<string[]> {
  const up = await db
    .selectFrom('hosts')
    .select('name')
    .where('seats', '>', 0)
    .where('heartbeat_at', '>', Date.now() - quick.leaseMs)
    .execute();
  return up.length === hosts.length ? [] : [`only ${up.length} of ${hosts.length} hosts take work`];
}

/** Looks at all accounts, so that a browser that is nobody's is seen too. */
async function activeAreRunning(harness: ClusterHarness): Promise<string[]> {
  const rows = await harness.db
    .selectFrom('sessions')
    .select(['id', 'host', 'state'])
    .where('state', 'in', ['STARTING', 'ACTIVE'])
    .execute();
  const starting = rows
    .filter(({ state }) => state === 'STARTING')
    .map(({ id }) => `${id} is still STARTING`);
  const wanted = new Map<string, number>();
  for (const { id, host } of rows.filter(({ state }) => state === 'ACTIVE')) {
    const key = harness.browserKind === 'real' ? `${host}` : `${host} ${id}`;
    wanted.set(key, (wanted.get(key) ?? 0) + 1);
  }
  const running = harness.browsers();
  const wrong = [...new Set([...wanted.keys(), ...running.keys()])]
    .filter((key) => wanted.get(key) !== running.get(key))
    .map((key) => `${key}: ${wanted.get(key) ?? 0} ACTIVE, ${running.get(key) ?? 0} running`);
  return [...starting, ...wrong];
}

/** However often a create was sent, it made one session. */
function onePerKey(rows: readonly SessionRow[]): string[] {
  const made = Map.groupBy(rows, (row) => (JSON.parse(row.metadata) as { create?: number }).create);
  return [...made].flatMap(([create, sessions]) =>
    create !== undefined && sessions.length > 1
      ? [`create ${create} made ${sessions.map(({ id, state }) => `${id} ${state}`).join(', ')}`]
      : [],
  );
}

/** Whether account and days have what the records say, once. */
export async function totals(
  { db }: ClusterHarness,
  accountId: string,
  rows: readonly SessionRow[],
): Promise<string[]> {
  const account = await db
    .selectFrom('accounts')
    .select('browser_seconds')
    .where('id', '=', accountId)
    .executeTakeFirstOrThrow();
  const days = await db.selectFrom('usage_days').selectAll().where('account_id', '=', accountId).execute();
  const ended = rows.filter(({ ended_at }) => ended_at !== null);
  const expected = {
    account: sum(ended, ({ billed_seconds }) => billed_seconds),
    days: sum(ended, ({ billed_seconds }) => billed_seconds),
    sessions: ended.length,
    bytes: sum(ended, ({ bytes_up, bytes_down }) => bytes_up + bytes_down),
  };
  const found = {
    account: account.browser_seconds,
    days: sum(days, ({ browser_seconds }) => browser_seconds),
    sessions: sum(days, ({ sessions }) => sessions),
    bytes: sum(days, ({ bytes_up, bytes_down }) => bytes_up + bytes_down),
  };
  const same = JSON.stringify(found) === JSON.stringify(expected);
  return same ? [] : [`totals are ${JSON.stringify(found)}, the records say ${JSON.stringify(expected)}`];
}

export async function oneEventEach(
  { db }: ClusterHarness,
  accountId: string,
  rows: readonly SessionRow[],
): Promise<string[]> {
  const events = await db.selectFrom('events').selectAll().where('account_id', '=', accountId).execute();
  const told = Map.groupBy(events, ({ session_id, type }) => `${session_id} ${type}`);
  const expected = rows
    .filter(({ state }) => state !== 'STARTING')
    .flatMap(({ id, state }) => [
      `${id} session.started`,
      ...(state === 'ACTIVE' ? [] : [`${id} session.${state.toLowerCase()}`]),
    ]);
  return [...new Set([...expected, ...told.keys()])]
    .filter((event) => told.get(event)?.length !== 1 || !expected.includes(event))
    .map((event) => `event ${event}: ${told.get(event)?.length ?? 0} times`);
}

/** The most sessions of one account that ever were at the same time. */
export function mostAtOnce(rows: readonly SessionRow[]): number {
  const changes = rows
    .filter(({ state }) => state !== 'STARTING')
    .flatMap(({ created_at, ended_at }) => [
      { at: created_at, by: 1 },
      ...(ended_at === null ? [] : [{ at: ended_at, by: -1 }]),
    ])
    .sort((a, b) => a.at - b.at || a.by - b.by);
  let now = 0;
  return Math.max(0, ...changes.map(({ by }) => (now += by)));
}

const sum = <T>(items: readonly T[], value: (item: T) => number): number =>
  items.reduce((total, item) => total + value(item), 0);
