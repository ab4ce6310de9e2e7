import type { OperatingSystem } from '@turnpike/contract/create-parameters';
import type { ChosenProfile } from '@turnpike/contract/host';
import type { EndReason, SessionStatus } from '@turnpike/contract/session';
import { billedSeconds, sessionTimes } from '../../apps/gateway/src/sessions/session.ts';
import type { SessionRow } from '../../apps/gateway/src/store/tables.ts';
import type { Random } from './random.ts';

export const chromiumVersion = '156.0.7412.88';

export interface DemoHost {
  name: string;
  region: string;
  seats: number;
  publicUrl: string;
}

const purposes = ['price-watch', 'checkout-test', 'screenshots', 'serp', 'agent', 'regression', 'catalogue'];
const teams = ['growth', 'qa', 'data', 'research'];

const platforms: Record<
  OperatingSystem,
  { agent: string; screens: [number, number, number][]; gpus: string[] }
> = {
  windows: {
    agent: 'Windows NT 10.0; Win64; x64',
    screens: [
      [1920, 1080, 1],
      [2560, 1440, 1],
      [1536, 864, 1.25],
    ],
    gpus: ['ANGLE (NVIDIA, NVIDIA GeForce RTX 3060 Direct3D11)', 'ANGLE (Intel, Intel(R) UHD Graphics 620)'],
  },
  macos: {
    agent: 'Macintosh; Intel Mac OS X 10_15_7',
    screens: [
      [1512, 982, 2],
      [1728, 1117, 2],
    ],
    gpus: ['ANGLE (Apple, ANGLE Metal Renderer: Apple M2)'],
  },
  linux: {
    agent: 'X11; Linux x86_64',
    screens: [[1920, 1080, 1]],
    gpus: ['ANGLE (AMD, AMD Radeon RX 6600)'],
  },
  android: {
    agent: 'Linux; Android 10; K',
    screens: [
      [412, 915, 2.625],
      [360, 780, 3],
    ],
    gpus: ['ANGLE (Qualcomm, Adreno (TM) 740)'],
  },
};

const places: Record<string, { languages: string[]; timeZone: string; addresses: string }> = {
  US: { languages: ['en-US', 'en'], timeZone: 'America/New_York', addresses: '203.0.113' },
  DE: { languages: ['de-DE', 'de', 'en'], timeZone: 'Europe/Berlin', addresses: '198.51.100' },
  GB: { languages: ['en-GB', 'en'], timeZone: 'Europe/London', addresses: '192.0.2' },
  FR: { languages: ['fr-FR', 'fr'], timeZone: 'Europe/Paris', addresses: '198.51.100' },
  JP: { languages: ['ja-JP', 'ja'], timeZone: 'Asia/Tokyo', addresses: '203.0.113' },
  BR: { languages: ['pt-BR', 'pt'], timeZone: 'America/Sao_Paulo', addresses: '192.0.2' },
};

const ends: Record<EndReason, SessionStatus> = {
  client_close: 'CLOSED',
  idle: 'CLOSED',
  operator: 'CLOSED',
  host_stopped: 'CLOSED',
  lifetime: 'EXPIRED',
  browser_closed: 'DEAD',
  browser_crashed: 'DEAD',
  out_of_memory: 'DEAD',
  stalled: 'DEAD',
  host_lost: 'DEAD',
};

/** Creates a session of an account as the gateway would have stored it. Without an age, it is running. */
export function demoSession(
  random: Random,
  account: { id: string; proxy_user: string | null },
  hosts: readonly DemoHost[],
  at: number,
  now?: number,
): SessionRow {
  const host = random.pick(hosts);
  const country = random.draw({ US: 40, DE: 20, GB: 14, FR: 10, JP: 8, BR: 8 });
  const os = random.draw<OperatingSystem>({ windows: 60, macos: 18, linux: 8, android: 14 });
  const vnc = random.next() < 0.4;
  const lifetime = random.pick([600, 1800, 3600, 7200, 14_400]);
  const seconds = Math.min(lifetime, Math.round(15 + random.next() ** 3 * lifetime));
  const reason: EndReason =
    seconds === lifetime
      ? 'lifetime'
      : random.draw({
          client_close: 86,
          idle: 5,
          browser_crashed: 4,
          out_of_memory: 2,
          stalled: 0,
          host_lost: 2,
          operator: 1,
          lifetime: 0,
          browser_closed: 0,
          host_stopped: 0,
        });
  const ended = now === undefined ? null : Math.min(now, at + seconds * 1000);
  const megabytes = (ended === null ? 90 : seconds / 20) * (0.3 + random.next() * 2);
  const profile = chosenProfile(random, os, country);
  return {
    id: `br_${random.hex(24)}`,
    account_id: account.id,
    cdp_id: `br_${random.hex(40)}`,
    viewer_token: random.hex(40),
    state: ended === null ? 'ACTIVE' : ends[reason],
    deadline_at: at,
    ...sessionTimes(at, lifetime),
    lifetime_seconds: lifetime,
    ended_at: ended,
    billed_seconds: ended === null ? 0 : billedSeconds(at, ended),
    host: host.name,
    host_boot: 'demo',
    host_url: host.publicUrl,
    viewer: vnc ? 1 : 0,
    protocols: '',
    params: JSON.stringify({
      os,
      proxy: `http://${account.proxy_user}-product-residential-country-${country.toLowerCase()}:***@proxy.example.com:8888`,
      headless: !vnc && random.next() < 0.5,
      vnc,
      force_visibility: random.next() < 0.1,
      maxLifetime: lifetime,
      profile,
    }),
    metadata: JSON.stringify({
      purpose: random.pick(purposes),
      team: random.pick(teams),
      run: random.between(1000, 9999),
      turnpike: {
        host: host.name,
        chromiumVersion,
        exitIp: `${places[country]?.addresses}.${random.between(2, 250)}`,
        exitCountry: country,
      },
    }),
    name: null,
    named: 0,
    tags: null,
    bytes_up: Math.round(megabytes * 60_000),
    bytes_down: Math.round(megabytes * 1_000_000),
    metered_product: null,
    metered_country: null,
    end_reason: ended === null ? null : reason,
    end_signal: ended !== null && reason === 'browser_crashed' ? 'SIGSEGV' : null,
    profile_name: null,
    saves_profile: 0,
    cache_name: null,
    identity: null,
    saves_cache: 0,
    proxy_id: null,
    pool_id: null,
    proxy_key: null,
    proxies_seen: null,
    standby_ms: 0,
    standby_since: null,
    standby_permille: null,
    proxy_change: null,
    proxy_change_until: null,
    savings: null,
    abandoned_at: null,
    evidence: null,
    traffic: null,
    connected_at: at + 1200,
    disconnected_at: reason === 'idle' && ended !== null ? Math.round((at + ended) / 2) : null,
  };
}

function chosenProfile(random: Random, os: OperatingSystem, country: string): ChosenProfile {
  const { agent, screens, gpus } = platforms[os];
  const { languages = ['en-US'], timeZone = 'UTC' } = places[country] ?? {};
  const [width, height, pixelRatio] = random.pick(screens);
  const mobile = os === 'android' ? ' Mobile' : '';
  return {
    os,
    browserVersion: chromiumVersion,
    userAgent: `Mozilla/5.0 (${agent}) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0${mobile} Safari/537.36`,
    languages,
    uiLanguage: languages[0] ?? 'en-US',
    timeZone,
    country,
    screen: { width, height, pixelRatio },
    hardware: { processors: random.pick([4, 8, 12]), memory: 8, gpu: random.pick(gpus) },
  };
}
