import type { AccountSecrets } from '@turnpike/gateway/administration';
import { drawBox } from '../terminal/drawing.ts';

/** What `turnpike up` tells a person when it has started. */
export interface Greeting {
  urls: { gateway: string; host: string; proxy: string; metrics: string | undefined };
  /** Set at the first start, which creates the demo account. */
  demo: AccountSecrets | undefined;
  demoEmail: string;
  /** Links of people who have no password yet. */
  links: readonly { who: string; url: string }[];
  /** Why no browser starts; undefined if browsers start. */
  problem: string | undefined;
}

/** For logs and files: in the order of reading. */
export function plainGreeting(greeting: Greeting): string {
  const { urls, demo } = greeting;
  const login = demo ? `${demo.proxyUser}:${demo.proxyPassword}` : '<login>';
  return [
    '',
    ...stateLines(greeting),
    '',
    ...secretLines(greeting),
    '',
    ...linkLines(greeting),
    '',
    'Open a browser and print its CDP URL:',
    '',
    `  curl -H 'x-api-key: ${demo?.apiKey ?? '<key>'}' '${urls.gateway}/connect?proxy=${withLogin(urls.proxy, login)}'`,
    '',
    'Stop with Ctrl-C: running browsers are closed and billed.',
    '',
  ].join('\n');
}

/** For a terminal: what must not be lost comes last, in a box. */
export function terminalGreeting(greeting: Greeting, columns: number): string {
  const { urls, demo } = greeting;
  const variables = demo
    ? [
        `export TURNPIKE_URL=${urls.gateway}`,
        `export TURNPIKE_API_KEY=${demo.apiKey}`,
        `export TURNPIKE_PROXY=${withLogin(urls.proxy, `${demo.proxyUser}:${demo.proxyPassword}`)}`,
        `export TURNPIKE_STATS_TOKEN=${demo.statsToken}`,
      ]
    : secretLines(greeting);
  return [
    '',
    ...stateLines(greeting),
    '',
    `Open a browser and print its CDP URL${demo ? ', in another terminal with the variables below' : ''}:`,
    '',
    '  curl -H "x-api-key: $TURNPIKE_API_KEY" "$TURNPIKE_URL/connect?proxy=$TURNPIKE_PROXY"',
    '',
    'Stop with Ctrl-C: running browsers are closed and billed. With --verbose, each request is shown.',
    '',
    drawBox(
      demo ? 'Secrets of the demo account, shown only once' : 'Keys and dashboard',
      [...variables, '', ...linkLines(greeting)],
      columns,
    ),
    '',
  ].join('\n');
}

function stateLines({ urls, problem }: Greeting): string[] {
  const parts = [
    `  gateway   ${urls.gateway}`,
    `  browsers  ${urls.host}`,
    `  proxy     ${urls.proxy}  (metered; HTTP and SOCKS5)`,
    ...(urls.metrics ? [`  metrics   ${urls.metrics}`] : []),
  ];
  return problem === undefined
    ? ['Turnpike is up.', '', ...parts]
    : [...noBrowserLines('Turnpike runs', problem, 'npx turnpike doctor'), '', ...parts];
}

/** Explains what does not work without browsers, and what to do. */
export function noBrowserLines(who: string, problem: string, doctor: string): string[] {
  return [
    `${who}, but no browser can be opened: ${problem}`,
    `Run \`${doctor}\`, which checks this machine and says what to do.`,
    'Until then creates return 502. Everything else works: the dashboard, statistics, the metered proxy.',
    'It keeps trying, and says so here when a browser starts.',
  ];
}

function secretLines({ demo, demoEmail }: Greeting): string[] {
  if (!demo) {
    return [
      'Keys were shown when they were created. For a new key, and the login for the proxy, run:',
      '',
      `  npx turnpike account rotate-key ${demoEmail}`,
      `  npx turnpike account proxy-password ${demoEmail}`,
    ];
  }
  return [
    'A demo account was created. Its secrets, shown only once:',
    '',
    `  API key           ${demo.apiKey}`,
    `  statistics token  ${demo.statsToken}`,
    `  proxy login       ${demo.proxyUser}:${demo.proxyPassword}`,
  ];
}

function linkLines({ urls, links }: Greeting): string[] {
  if (links.length === 0) return [`The dashboard: ${urls.gateway}`];
  return [
    'The dashboard. Each link works once, to set a password:',
    '',
    ...links.map(({ who, url }) => `  ${who.padEnd(13)} ${url}`),
  ];
}

const withLogin = (url: string, login: string): string => url.replace('://', `://${login}@`);
