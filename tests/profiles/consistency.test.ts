import { type OperatingSystem, operatingSystems } from '@turnpike/contract/create-parameters';
import type { ChosenProfile } from '@turnpike/contract/host';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { machineTimeZone } from '../../apps/host/src/profile/country.ts';
import type { TestAccount } from '../fixtures/gateway/gateway.ts';
import { type SharedService, sharedService } from '../fixtures/service/shared-service.ts';
import { watchLeaks } from '../fixtures/suite/leaks.ts';
import { quickWhere, testEach } from '../fixtures/suite/matrix.ts';
import { disagreements } from './agreement.ts';
import { type SeenRequest, type SignalServer, startSignalServer } from './signal-server.ts';
import { visits } from './visit.ts';

watchLeaks();

let site: SignalServer;
let service: SharedService;
let account: TestAccount;

beforeAll(async () => {
  site = await startSignalServer();
  service = await sharedService();
  account = await service.account({ creates_per_minute: 1000 });
});
afterAll(async () => {
  await service[Symbol.asyncDispose]();
  await site[Symbol.asyncDispose]();
});

/** Creates a session with these parameters, lets each client look at it, and says what did not agree. */
async function look(params: Record<string, string>, clients: (keyof typeof visits)[]): Promise<Looked> {
  const opened = await account.connect(params);
  expect(opened.status, opened.text).toBe(200);
  const id = opened.headers.get('x-session-id') ?? '';
  const { profile } = (await account.get(`/api/browser/${id}/status`)).json.browserParams;
  const found: string[] = [];
  for (const client of clients) {
    site.requests.length = 0;
    const gathered = await visits[client](opened.text, site);
    const requests = client === 'Puppeteer' ? withoutUpdates(site.requests) : site.requests;
    found.push(...disagreements(gathered, requests, profile).map((words) => `${client}: ${words}`));
  }
  await account.close(id);
  return { profile, found };
}

/** Puppeteer looks in a context of its own, where updates of a service worker may differ: docs/profiles.md. */
const withoutUpdates = (requests: SeenRequest[]): SeenRequest[] =>
  requests.filter(
    (request) =>
      request.path !== '/service.js' || request === requests.find(({ path }) => path === '/service.js'),
  );

interface Looked {
  profile: ChosenProfile;
  found: string[];
}

/** The test's proxy has no country. */
const ownZone = machineTimeZone();

/** What else each is asked for: languages are another part of it, given and by the country of the proxy. */
const cases: Record<OperatingSystem, { params: (proxy: string) => Record<string, string>; chosen: object }> =
  {
    windows: {
      params: () => ({}),
      chosen: { languages: ['en-US', 'en'], uiLanguage: 'en-US', timeZone: ownZone ?? 'America/New_York' },
    },
    macos: {
      params: () => ({ browser_language: 'de-AT,fr;q=0.5' }),
      chosen: { languages: ['de-AT', 'de', 'fr'], uiLanguage: 'de-AT', timeZone: ownZone ?? 'Europe/Vienna' },
    },
    linux: {
      params: () => ({ ui_language: 'de' }),
      chosen: { languages: ['en-US', 'en'], uiLanguage: 'de', timeZone: ownZone ?? 'America/New_York' },
    },
    android: {
      params: (proxy) => ({ proxy: proxy.replace(/:\/\/([^:]+)/, '://$1-country-jp') }),
      chosen: { languages: ['ja-JP', 'ja', 'en-US', 'en'], uiLanguage: 'ja-JP', timeZone: 'Asia/Tokyo' },
    },
  };

const everyCell = operatingSystems.flatMap((os) => [
  { os, headless: 'true' },
  { os, headless: 'false' },
]);
/** A phone differs from this machine the most. */
const isQuick = ({ os, headless }: { os: string; headless: string }) =>
  os === 'android' && headless === 'true';

testEach(quickWhere(everyCell, isQuick))(
  'all that a session of os=$os, headless=$headless says of itself agrees, in every corner and on the wire, under both clients',
  async ({ os, headless }) => {
    const { params, chosen } = cases[os];
    const proxy = `http://${account.proxyUser}:${account.proxyPassword}@${new URL(service.proxyUrl).host}`;
    const { found, profile } = await look({ os, headless, ...params(proxy) }, ['Playwright', 'Puppeteer']);
    expect(found).toEqual([]);
    expect(profile).toMatchObject({ os, ...chosen });
  },
);

const tag = fc.constantFrom('de-DE', 'de', 'fr-CH', 'pt-BR', 'ja', 'en-GB', 'en', 'ar-EG', 'zh-TW');
/** Each as Chromium lists it by itself. */
const family = fc.constantFrom('de-DE,de', 'fr-CH,fr', 'pt-BR,pt', 'ja', 'en-GB,en-US,en', 'ar', 'zh-TW,zh');
const parameters = fc
  .record(
    {
      os: fc.constantFrom(...operatingSystems),
      headless: fc.constantFrom('true', 'false'),
      versions: fc.tuple(fc.integer({ min: 100, max: 200 }), fc.nat(40)),
      browser_language: fc.uniqueArray(family, { minLength: 1, maxLength: 4 }).map((list) => list.join()),
      ui_language: tag,
      screen_width_min: fc.integer({ min: 1, max: 4000 }).map(String),
      screen_height_min: fc.integer({ min: 1, max: 2500 }).map(String),
      force_visibility: fc.constantFrom('true', 'false'),
    },
    { requiredKeys: [] },
  )
  .map(({ versions, ...rest }) => ({
    ...rest,
    ...(versions && {
      browser_version_min: String(versions[0]),
      browser_version_max: String(versions[0] + versions[1]),
    }),
  }));

test('the same holds for parameters drawn at random', { tags: 'slow' }, async () => {
  const seed = Date.now() % 2 ** 31;
  console.info(`seed ${seed}`);
  await fc.assert(
    fc.asyncProperty(parameters, fc.constantFrom('Playwright', 'Puppeteer'), async (params, client) => {
      const { found, profile } = await look(params as Record<string, string>, [client]);
      expect(found).toEqual([]);
      const major = Number.parseInt(profile.browserVersion, 10);
      expect(major).toBeGreaterThanOrEqual(Number(params.browser_version_min ?? 1));
      expect(major).toBeLessThanOrEqual(Number(params.browser_version_max ?? 999));
      expect(profile.screen.width).toBeGreaterThanOrEqual(Number(params.screen_width_min ?? 1));
      expect(profile.screen.height).toBeGreaterThanOrEqual(Number(params.screen_height_min ?? 1));
      if (params.browser_language) expect(profile.languages.join()).toBe(params.browser_language);
    }),
    { seed, numRuns: 5, endOnFailure: true },
  );
});
