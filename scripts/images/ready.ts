import { setTimeout as delay } from 'node:timers/promises';

/** Asks until the answer is a success. */
export async function ready(url: string): Promise<void> {
  const deadline = Date.now() + 120_000;
  for (;;) {
    const response = await fetch(url).catch(() => undefined);
    await response?.body?.cancel();
    if (response?.ok) return;
    if (Date.now() > deadline) throw new Error(`${url} did not answer within two minutes`);
    await delay(200);
  }
}
