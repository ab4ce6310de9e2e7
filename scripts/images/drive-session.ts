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

export interface Visit extends Session {
  /** Where the browser was reached. */
  host: string;
  title: string;
}

/** Opens a headless and a headful session, on hosts of their own where there are two, and shows a page in both. */
export async function driveSessions(client: Client, url: string, hosts: 1 | 2): Promise<Visit[]> {
  const visits: Visit[] = [];
  for (const headless of [true, false]) {
    const elsewhere = hosts === 2 ? visits.map(({ host }) => host) : [];
    const session = await openElsewhere(client, { proxy: client.proxy, headless }, elsewhere);
    visits.push({ ...session, host: hostOf(session), title: await show(session.cdpUrl, url) });
  }
  for (const { browserId } of visits) await post(client, '/api/browser/close', { browserId });
  return visits;
}

const hostOf = ({ cdpUrl }: Session) => new URL(cdpUrl).host;

/** A gateway's picture of the hosts may be a second old, so the first try may end on the same host again. */
async function openElsewhere(client: Client, body: object, taken: readonly string[]): Promise<Session> {
  for (let tries = 0; tries < 20; tries += 1) {
    const session = await post(client, '/api/browser/create', body);
    if (!taken.includes(hostOf(session))) return session;
    await post(client, '/api/browser/close', { browserId: session.browserId });
  }
  throw new Error('the other host got no session in 20 tries');
}

async function show(cdpUrl: string, url: string): Promise<string> {
  const browser = await chromium.connectOverCDP(cdpUrl);
  try {
    const page = await browser.contexts()[0]?.newPage();
    await page?.goto(url);
    const title = (await page?.title()) ?? '';
    if (!title.includes('Turnpike')) throw new Error(`${url} showed "${title}"`);
    return title;
  } finally {
    await browser.close();
  }
}
