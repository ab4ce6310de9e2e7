import { startPostgres } from '../fixtures/database/postgres.ts';
import { floodUsage } from '../load/usage-flood.ts';

/** `npm run flood [records]`: runs tests/load/usage-flood.ts at full size, on a durable PostgreSQL. */
const records = Number(process.argv[2] ?? 1_000_000);
await using postgres = await startPostgres({ durable: true });
const store = { engine: 'postgres', url: await postgres.createDatabase() } as const;
const result = await floodUsage({ store, records, kills: 6 });
const exact = result.countedBytes === result.expectedBytes;
console.log(
  `${records} records, ${result.sent} sent in ${result.seconds.toFixed(1)} s (${Math.round(result.sent / result.seconds)}/s), ` +
    `${result.repeatedBatches} batches repeated after a kill`,
);
console.log(
  `expected ${result.expectedBytes} bytes, counted ${result.countedBytes}: ${exact ? 'exact' : 'WRONG'}`,
);
if (!exact) process.exitCode = 1;
