import { addUse, noUse } from '@turnpike/contract/traffic';
import type { SessionTraffic } from '@turnpike/contract/traffic-answers';
import { chromium, type Page } from 'playwright-core';
import type { accountCalls } from '../fixtures/gateway/gateway.ts';
import type { CountingProxy, WireBytes } from '../fixtures/network/counting-proxy.ts';

type Account = Pick<ReturnType<typeof accountCalls>, 'get' | 'create' | 'close'>;

/** What a page asks for: of every way that traffic goes, some. */
export interface Mix {
  plain: number[];
  posted: number[];
  secure: number[];
  messages: number[];
  aborted: number[];
}

const count = (random: () => number, most: number) => Math.floor(random() * (most + 1));
const sizes = (random: () => number, most: number, largest: number) =>
  Array.from({ length: 1 + count(random, most - 1) }, () => count(random, largest));

export const mixOf = (random: () => number): Mix => ({
  plain: sizes(random, 6, 200_000),
  posted: sizes(random, 2, 50_000),
  secure: sizes(random, 3, 200_000),
  messages: sizes(random, 5, 20_000),
  aborted: sizes(random, 2, 100_000),
});

/** Hosts that the sessions may reach, and one that they may not. */
export const allowedHosts = ['start.test', '*.plain.test', '*.secure.test', 'sockets.test', 'aborted.test'];

/** Runs in the page. Everything it starts is over, or stands still, when it resolves. */
async function carry({ plain, posted, secure, messages, aborted }: Mix): Promise<string[]> {
  const faults: string[] = [];
  const get = async (url: string, size: number) => {
    const body = await (await fetch(url)).arrayBuffer();
    if (body.byteLength !== size) faults.push(`${url}: ${body.byteLength}`);
  };
  const talk = (url: string) =>
    new Promise<void>((resolve) => {
      const socket = new WebSocket(url);
      let answers = 0;
      socket.onopen = () => {
        for (const size of messages) socket.send('m'.repeat(size));
      };
      socket.onmessage = () => {
        answers += 1;
        if (answers === messages.length) socket.close();
      };
      socket.onclose = () => {
        if (answers !== messages.length) faults.push(`${url}: ${answers} answers`);
        resolve();
      };
    });
  /** Gives up when all that was sent has arrived, so that nothing is on its way. */
  const abort = async (url: string, size: number) => {
    const cancel = new AbortController();
    const reader = (await fetch(url, { signal: cancel.signal })).body?.getReader();
    for (let got = 0; got < size; ) got += (await reader?.read())?.value?.byteLength ?? size;
    cancel.abort();
  };
  const refused = async (url: string) => {
    const answer = await fetch(url, { mode: 'no-cors' }).then(
      ({ type }) => type,
      () => 'error',
    );
    if (answer === 'cors') faults.push(`${url} was reached`);
  };
  for (const [i, size] of plain.entries()) await get(`http://h${i}.plain.test/bytes/${size}`, size);
  await Promise.all([
    ...posted.map(async (size, i) => {
      const answer = await fetch(`http://p${i}.plain.test/echo`, { method: 'POST', body: 'p'.repeat(size) });
      if ((await answer.text()).length !== size) faults.push(`post of ${size}`);
    }),
    ...secure.map((size, i) => get(`https://s${i}.secure.test/bytes/${size}`, size)),
    talk('ws://sockets.test/'),
    talk('wss://sockets.test/'),
    ...aborted.map((size) => abort(`http://aborted.test/stall/${size}`, size)),
    refused('http://refused.test/'),
    refused('https://refused.test/'),
  ]);
  return faults;
}

export interface OpenTraffic {
  id: string;
  page: Page;
  run(mix: Mix): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** Opens a session and a page in it that may use certificates of nobody's. */
export async function openTraffic(account: Account, proxy: CountingProxy, params = {}): Promise<OpenTraffic> {
  const opened = await account.create({
    proxy: proxy.url,
    headless: true,
    allow_hosts: allowedHosts,
    ...params,
  });
  if (opened.status !== 200) throw new Error(opened.text);
  const { browserId: id, cdpUrl } = opened.json;
  const browser = await chromium.connectOverCDP(cdpUrl);
  const page = browser.contexts()[0]?.pages()[0];
  if (!page) throw new Error('the session has no page');
  const cdp = await page.context().newCDPSession(page);
  await cdp.send('Security.setIgnoreCertificateErrors', { ignore: true });
  await page.goto('http://start.test/');
  return {
    id,
    page,
    async run(mix) {
      const faults = await page.evaluate(carry, mix);
      if (faults.length > 0) throw new Error(faults.join('; '));
    },
    [Symbol.asyncDispose]: () => browser.close(),
  };
}

export async function readTraffic(account: Account, id: string): Promise<SessionTraffic> {
  const { status, text, json } = await account.get(`/api/browser/${id}/traffic`);
  if (status !== 200) throw new Error(text);
  return json;
}

/** How far the destinations are from the session's bytes, and those from the other side's. 0 and 0 is right. */
export function differences(
  traffic: Pick<SessionTraffic, 'bytesUp' | 'bytesDown' | 'destinations' | 'other'>,
  wire: WireBytes,
): { ledger: number; wire: number } {
  const sum = noUse();
  for (const use of [...traffic.destinations, traffic.other]) addUse(sum, use);
  const between = (a: WireBytes, b: WireBytes) =>
    Math.abs(a.bytesUp - b.bytesUp) + Math.abs(a.bytesDown - b.bytesDown);
  return { ledger: between(sum, traffic), wire: between(traffic, wire) };
}
