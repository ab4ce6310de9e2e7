import { utcDay } from '@turnpike/contract/calendar';
import { associatedData } from '../../apps/gateway/src/secrets/associated-data.ts';
import type { Sealer } from '../../apps/gateway/src/secrets/sealer.ts';
import type { Database } from '../../apps/gateway/src/store/database.ts';
import type { Random } from './random.ts';

const dayMs = 86_400_000;
const days = 60;

interface DemoProxy {
  name: string;
  url: string;
  country: string;
  price: number | null;
  exitIp: string;
  tags: string[];
  /** How it failed. Undefined if it works. */
  error?: string;
}

const template = 'http://customer-country-{country}-session-{session}';
const proxies: readonly DemoProxy[] = [
  {
    name: 'shop-de',
    url: `${template}:secret@gate.example.com:7000`,
    country: 'DE',
    price: 4.5,
    exitIp: '198.51.100.24',
    tags: ['residential', 'shop'],
  },
  {
    name: 'shop-us',
    url: `${template}:secret@gate.example.com:7000`,
    country: 'US',
    price: 4.5,
    exitIp: '203.0.113.80',
    tags: ['residential', 'shop'],
  },
  {
    name: 'dc-1',
    url: 'http://team:secret@dc-1.example.com:3128',
    country: 'DE',
    price: 0.6,
    exitIp: '192.0.2.11',
    tags: ['datacenter'],
  },
  {
    name: 'dc-2',
    url: 'http://team:secret@dc-2.example.com:3128',
    country: 'DE',
    price: 0.6,
    exitIp: '192.0.2.12',
    tags: ['datacenter'],
    error: 'connect ECONNREFUSED 192.0.2.12:3128',
  },
  {
    name: 'dc-3',
    url: 'socks5://team:secret@dc-3.example.com:1080',
    country: 'FR',
    price: null,
    exitIp: '192.0.2.13',
    tags: ['datacenter'],
  },
];
const pools = [
  { name: 'datacenter', policy: 'round_robin', members: ['dc-1', 'dc-2', 'dc-3'] },
  { name: 'customers', policy: 'sticky', members: ['shop-de', 'shop-us'] },
] as const;

/** Adds saved proxies, pools and what sessions have seen of them, for the pages of one account. */
export async function addProxies(
  db: Database,
  sealer: Sealer,
  random: Random,
  accountId: string,
  now: number,
): Promise<void> {
  const idOf = new Map(proxies.map(({ name }) => [name, `px_${random.hex(16)}`]));
  await db.transaction().execute(async (trx) => {
    for (const { name, url, country, price, exitIp, tags, error } of proxies) {
      const id = idOf.get(name) ?? '';
      const row = {
        id,
        account_id: accountId,
        name,
        country,
        tags: JSON.stringify(tags),
        notes: null,
        url_sealed: sealer.seal(url, associatedData.savedProxyUrl(id)),
        url_masked: url.replace(':secret@', ':***@'),
        price_micros: price === null ? null : Math.round(price * 1e6),
        ca: null,
        client_certificate: null,
        client_key_sealed: null,
        state: error ? ('failing' as const) : ('healthy' as const),
        state_at: now - random.between(1, 90) * 60_000,
        next_check_at: null,
        checked_at: now - random.between(5, 50) * 1000,
        latency_ms: random.between(18, 240),
        exit_ip: exitIp,
        exit_country: country,
        last_error: error ?? null,
        created_at: now - days * dayMs,
        updated_at: now - 9 * dayMs,
      };
      await trx.insertInto('saved_proxies').values(row).execute();
    }
    for (const { name, policy, members } of pools) {
      const id = `pp_${random.hex(16)}`;
      const times = { created_at: now - 40 * dayMs, updated_at: now - 9 * dayMs };
      await trx
        .insertInto('proxy_pools')
        .values({ id, account_id: accountId, name, policy, ...times })
        .execute();
      const rows = members.map((member, position) => ({
        pool_id: id,
        proxy_id: idOf.get(member) ?? '',
        position,
      }));
      await trx.insertInto('proxy_pool_members').values(rows).execute();
      const used = proxies.filter((proxy) => (members as readonly string[]).includes(proxy.name));
      const seen = used.flatMap((proxy) =>
        Array.from({ length: 40 }, (_, day) =>
          demoDay(random, proxy, {
            account_id: accountId,
            proxy_id: idOf.get(proxy.name) ?? '',
            pool_id: id,
            day: utcDay(now - day * dayMs),
          }),
        ),
      );
      await trx.insertInto('proxy_days').values(seen).execute();
    }
    await trx
      .updateTable('accounts')
      .set({ default_proxy: 'pool:datacenter' })
      .where('id', '=', accountId)
      .execute();
  });
}

interface DayKey {
  account_id: string;
  proxy_id: string;
  pool_id: string;
  day: string;
}

function demoDay(random: Random, { price, error }: DemoProxy, key: DayKey) {
  const sessions = random.between(1, 14);
  const connections = sessions * random.between(40, 160);
  const bytes_up = connections * random.between(2000, 9000);
  const bytes_down = connections * random.between(40_000, 160_000);
  return {
    ...key,
    sessions,
    connections,
    failures: Math.round(connections * random.next() * (error ? 0.2 : 0.01)),
    first_bytes: connections,
    first_byte_ms: connections * random.between(90, 420),
    exit_changes: random.between(0, 2),
    bytes_up,
    bytes_down,
    cost_micros: Math.round(((bytes_up + bytes_down) / 1e9) * (price ?? 0) * 1e6),
  };
}
