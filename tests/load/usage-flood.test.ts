// @module-tag slow

import { expect, test } from 'vitest';
import { testStore } from '../fixtures/gateway/gateway.ts';
import { watchLeaks } from '../fixtures/suite/leaks.ts';
import { floodUsage } from './usage-flood.ts';

watchLeaks();

test('30,000 records, a third of them three times, with gateways killed on the way: the sums are exact', async () => {
  await using store = await testStore('postgres');
  const result = await floodUsage({ store: store.location, records: 30_000, kills: 3, batchRecords: 500 });
  expect(result.countedBytes).toBe(result.expectedBytes);
  expect(result.sent).toBe(50_000);
});
