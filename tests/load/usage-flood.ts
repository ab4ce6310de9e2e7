import { randomInt } from 'node:crypto';
import { products } from '@turnpike/contract/bandwidth';
import { createLogger } from '@turnpike/process/logger';
import { createAccount } from '../../apps/gateway/src/accounts/manage-account.ts';
import { bytesByCountry } from '../../apps/gateway/src/bandwidth/bandwidth-store.ts';
import { createOperatorToken } from '../../apps/gateway/src/operator/operator-tokens.ts';
import { openDatabase, type StoreLocation } from '../../apps/gateway/src/store/database.ts';
import { testSealer } from '../fixtures/gateway/gateway.ts';
import { GatewayProcess } from '../fixtures/gateway/gateway-child.ts';

/**
 * Usage records, shuffled, a third of them three times, from four senders at once to two gateways on one
 * store, with gateways killed on the way. Senders repeat what got no answer. The sums must be exact.
 */
export interface FloodOptions {
  store: StoreLocation;
  records: number;
  kills: number;
  batchRecords?: number;
}

export interface FloodResult {
  expectedBytes: bigint;
  countedBytes: bigint;
  sent: number;
  repeatedBatches: number;
  seconds: number;
}

const senders = 4;
const accountCount = 20;
const countries = ['US', 'DE', 'BR', 'JP'];

export async function floodUsage({
  store,
  records,
  kills,
  batchRecords = 5000,
}: FloodOptions): Promise<FloodResult> {
  const db = await openDatabase(store, createLogger('silent'));
  const { token } = await createOperatorToken(db, 'flood');
  const accountIds: string[] = [];
  for (let i = 0; i < accountCount; i++) {
    accountIds.push(
      (await createAccount(db, testSealer, { email: `f${i}@example.com`, name: '' })).account.id,
    );
  }
  const { lines, expectedBytes } = makeLines(records, accountIds);
  const options = { store, createTimeoutMs: 1000, realBrowsers: false };
  const start = (name: string) => GatewayProcess.start({ ...options, hostName: name });
  const gateways = [await start('one'), await start('two')];
  const started = performance.now();
  const queue = batches(lines, batchRecords);
  let repeatedBatches = 0;

  const send = async () => {
    for (let batch = queue.pop(); batch !== undefined; batch = queue.pop()) {
      for (let done = false, turn = randomInt(2); !done; turn++) {
        done = await post(gateways[turn % 2]?.url ?? '', token, batch);
        if (!done) repeatedBatches++;
      }
    }
  };
  const killer = async () => {
    for (let i = 0; i < kills; i++) {
      const left = queue.length;
      const target = Math.floor((left * (kills - i - 1)) / (kills - i + 1));
      while (queue.length > target) await new Promise((resolve) => setTimeout(resolve, 5));
      const [name, index] = i % 2 ? (['two', 1] as const) : (['one', 0] as const);
      await gateways[index]?.[Symbol.asyncDispose]();
      gateways[index] = await start(name);
    }
  };
  try {
    await Promise.all([killer(), ...Array.from({ length: senders }, send)]);
    const seconds = (performance.now() - started) / 1000;
    return {
      expectedBytes,
      countedBytes: await counted(db, accountIds),
      sent: lines.length,
      repeatedBatches,
      seconds,
    };
  } finally {
    for (const gateway of gateways) await gateway[Symbol.asyncDispose]();
    await db.destroy();
  }
}

function makeLines(records: number, accountIds: readonly string[]) {
  const lines: string[] = [];
  let expectedBytes = 0n;
  for (let i = 0; i < records; i++) {
    const bytes = randomInt(2 ** 40);
    expectedBytes += BigInt(bytes);
    const line = JSON.stringify({
      id: `r${i}`,
      account: accountIds[i % accountIds.length],
      product: products[i % products.length],
      country: countries[randomInt(countries.length)],
      bytes,
      at: Date.UTC(2024, 0, 1 + randomInt(366), randomInt(24), randomInt(60)),
    });
    lines.push(line);
    if (i % 3 === 0) lines.push(line, line);
  }
  for (let i = lines.length - 1; i > 0; i--) {
    const j = randomInt(i + 1);
    [lines[i], lines[j]] = [lines[j] as string, lines[i] as string];
  }
  return { lines, expectedBytes };
}

function batches(lines: readonly string[], size: number): string[] {
  return Array.from({ length: Math.ceil(lines.length / size) }, (_, i) =>
    lines.slice(i * size, (i + 1) * size).join('\n'),
  );
}

/** False: no answer, so it may or may not have counted. */
async function post(url: string, token: string, body: string): Promise<boolean> {
  try {
    const answer = await fetch(`${url}/operator/api/usage`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}` },
      body,
    });
    const result = (await answer.json()) as { refused?: number };
    if (answer.status === 200 && result.refused !== 0) throw new Error(`refused: ${JSON.stringify(result)}`);
    return answer.status === 200;
  } catch (error) {
    if (error instanceof TypeError) return false;
    throw error;
  }
}

async function counted(
  db: Awaited<ReturnType<typeof openDatabase>>,
  accountIds: readonly string[],
): Promise<bigint> {
  let sum = 0n;
  for (const accountId of accountIds) {
    for (const product of products) {
      const query = { accountId, product, from: '2024-01-01', to: '2024-12-31' };
      for (const { bytes } of await bytesByCountry(db, query)) sum += bytes;
    }
  }
  return sum;
}
