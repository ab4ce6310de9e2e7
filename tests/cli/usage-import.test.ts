import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createLogger } from '@turnpike/process/logger';
import { expect, test } from 'vitest';
import { importUsage } from '../../apps/cli/src/operator/usage-import.ts';
import type { UsageFormat } from '../../apps/cli/src/operator/usage-lines.ts';
import { createAccount } from '../../apps/gateway/src/accounts/manage-account.ts';
import { bytesByCountry } from '../../apps/gateway/src/bandwidth/bandwidth-store.ts';
import { openDatabase } from '../../apps/gateway/src/store/database.ts';
import { testSealer } from '../fixtures/gateway/gateway.ts';
import { scratchDirectory } from '../fixtures/process/scratch-directory.ts';
import { watchLeaks } from '../fixtures/suite/leaks.ts';

watchLeaks();

const range = { product: 'residential', from: '2024-03-01', to: '2024-03-01' } as const;
const at = '2024-03-01T10:00:00Z';
const squidTime = Date.parse(at) / 1000;

test.each<[UsageFormat, (owner: { email: string; proxyUser: string }) => string[]]>([
  [
    'ndjson',
    ({ email }) => [
      JSON.stringify({ id: '1', account: email, product: 'residential', country: 'us', bytes: 700, at }),
      '{broken',
      JSON.stringify({ id: '2', account: email, product: 'residential', bytes: '300', at }),
    ],
  ],
  [
    'csv',
    ({ email, proxyUser }) => [
      'id,account,proxyUser,product,country,bytes,at',
      `1,${email},,residential,us,700,${at}`,
      `,nobody@example.com,,residential,us,1,${at}`,
      `,,"${proxyUser}",residential,,300,${at}`,
    ],
  ],
  [
    'squid',
    ({ proxyUser }) => [
      `${squidTime}.123    90 10.0.0.1 TCP_TUNNEL/200 350 CONNECT example.com:443 ${proxyUser}-country-us HIER_DIRECT/1.2.3.4 -`,
      `${squidTime}.123    90 10.0.0.1 TCP_TUNNEL/200 350 CONNECT example.com:443 ${proxyUser}-country-us HIER_DIRECT/1.2.3.4 -`,
      `${squidTime}.500    90 10.0.0.1 TCP_DENIED/407 99 CONNECT example.com:443 - HIER_NONE/- text/html`,
      `${squidTime}.900    90 10.0.0.1 TCP_MISS/200 300 GET http://example.com/ ${proxyUser} HIER_DIRECT/1.2.3.4 text/html`,
    ],
  ],
])(
  '%s: counts good lines, says what is wrong with others, and counts nothing twice',
  async (format, lines) => {
    await using directory = await scratchDirectory('usage');
    const db = await openDatabase(
      { engine: 'sqlite', file: join(directory.path, 'store.sqlite') },
      createLogger('silent'),
    );
    try {
      const { account, proxyUser } = await createAccount(db, testSealer, {
        email: 'a@example.com',
        name: '',
      });
      const file = join(directory.path, `usage.${format}`);
      const text = lines({ email: account.email, proxyUser });
      await writeFile(file, `${text.join('\n')}\n`);
      const first = await importUsage(db, file, format, () => {});
      const counted = format === 'squid' ? 3 : 2;
      expect(first).toMatchObject({ new: counted, repeated: 0, refused: 1 });
      expect(first.errors[0]?.line).toBe(format === 'ndjson' ? 2 : 3);
      expect(await importUsage(db, file, format, () => {})).toMatchObject({
        new: 0,
        repeated: counted,
        refused: 1,
      });
      // Broken off after its second line, it goes on with the third.
      await writeFile(`${file}.turnpike-progress`, '2\n');
      const resumed = await importUsage(db, file, format, () => {});
      expect(resumed.new).toBe(0);
      expect(resumed.repeated + resumed.refused).toBe(text.length - 2);
      // The log grew.
      await writeFile(file, `${[...text, text.at(-1)?.replace('300', '310')].join('\n')}\n`);
      expect(await importUsage(db, file, format, () => {})).toMatchObject(
        format === 'ndjson' ? { new: 0 } : { new: 1 },
      );
      const countries = await bytesByCountry(db, { accountId: account.id, ...range });
      const more = format === 'ndjson' ? 0n : 310n;
      expect(countries).toEqual([
        { country: 'US', bytes: 700n },
        { country: 'ZZ', bytes: 300n + more },
      ]);
    } finally {
      await db.destroy();
    }
  },
);
