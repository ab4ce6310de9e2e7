import { expect, vi } from 'vitest';
import type { AccountCalls } from '../../fixtures/gateway/gateway.ts';
import { call, someProxy } from '../../fixtures/gateway/gateway.ts';

/** What tests ask a gateway about crawls. */

export async function startCrawl(account: AccountCalls, body: Record<string, unknown>): Promise<string> {
  const created = await account.post('/api/crawl', { proxy: someProxy, ...body });
  expect(created.status, created.text).toBe(202);
  return created.json.id;
}

/** Waits until a crawl is in a state. */
export async function crawlIn(account: AccountCalls, id: string, state: string, timeout = 60_000) {
  return vi.waitFor(
    async () => {
      const { json } = await account.get(`/api/crawl/${id}`);
      expect(json.state, JSON.stringify(json)).toBe(state);
      return json;
    },
    { timeout, interval: 50 },
  );
}

/** Reads all results, by the cursor. */
export async function allPages(account: AccountCalls, id: string, limit = 100) {
  const pages = [];
  for (let cursor = '0'; ; ) {
    const { json, text } = await account.get(`/api/crawl/${id}/pages?limit=${limit}&cursor=${cursor}`);
    if (!json?.pages) throw new Error(text);
    pages.push(...json.pages);
    if (json.nextCursor === null || json.pages.length === 0) return pages;
    cursor = json.nextCursor;
  }
}

export const urlsOf = (pages: readonly { url: string }[]): string[] => pages.map(({ url }) => url).toSorted();

export const cancel = (url: string, account: AccountCalls, id: string, query = '') =>
  call(`${url}/api/crawl/${id}${query}`, { method: 'DELETE', headers: { 'x-api-key': account.key } });
