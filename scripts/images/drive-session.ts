import { chromium } from 'playwright-core';

export interface Client {
  gatewayUrl: string;
  apiKey: string;
  proxy: string;
}

interface Session {
  cdpUrl: string;
  browserId: string;
}

async function post({ gatewayUrl, apiKey }: Client, path: string, body: object): Promise<Session> {
  const response = await fetch(gatewayUrl + path, {
    method: 'POST',
    headers: { 'x-api-key': apiKey, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return (await response.json()) as Session;
}

export interface Visit {
  /** Where the browser was reached. */
  host: string;
  title: string;
}

/** Opens a headless and a headful session, shows a page in both by Playwright, and closes them. */
export async function driveSessions(client: Client, url: string): Promise<Visit[]> {
  const sessions: Session[] = [];
  // Both at once, so that they are placed on two hosts where there are two.
  for (const headless of [true, false])
    sessions.push(await post(client, '/api/browser/create', { proxy: client.proxy, headless }));
  const visits: Visit[] = [];
  for (const { cdpUrl, browserId } of sessions) {
    const browser = await chromium.connectOverCDP(cdpUrl);
    const page = await browser.contexts()[0]?.newPage();
    await page?.goto(url);
    const title = (await page?.title()) ?? '';
    if (!title.includes('Turnpike')) throw new Error(`${url} showed "${title}"`);
    visits.push({ host: new URL(cdpUrl).host, title });
    await browser.close();
    await post(client, '/api/browser/close', { browserId });
  }
  return visits;
}
