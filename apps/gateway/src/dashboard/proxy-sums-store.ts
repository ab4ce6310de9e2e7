import type { ProxySums } from '@turnpike/contract/dashboard/account-pages';
import type { Database } from '../store/database.ts';

/** What sessions that ended since a day have used of each saved proxy of the account. */
export async function proxySums(
  db: Database,
  accountId: string,
  sinceDay: string,
): Promise<ProxySums['proxies']> {
  const rows = await db
    .selectFrom('proxy_days')
    .innerJoin('saved_proxies', 'saved_proxies.id', 'proxy_days.proxy_id')
    .select(({ fn }) => [
      'saved_proxies.name as name',
      fn.sum<number | string>('bytes_up').as('up'),
      fn.sum<number | string>('bytes_down').as('down'),
      fn.sum<number | string>('cost_micros').as('cost'),
    ])
    .where('proxy_days.account_id', '=', accountId)
    .where('day', '>=', sinceDay)
    .groupBy('saved_proxies.name')
    .orderBy('saved_proxies.name')
    .execute();
  return rows.map(({ name, up, down, cost }) => ({
    name,
    bytesUp: Number(up),
    bytesDown: Number(down),
    // A proxy without a price has cost nothing that is known.
    cost: Number(cost) === 0 ? null : Number(cost) / 1_000_000,
  }));
}
