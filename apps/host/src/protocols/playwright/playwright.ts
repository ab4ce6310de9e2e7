import type { IncomingMessage } from 'node:http';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Answer, textAnswer } from '../../relay/answers.ts';
import type { Program, ProgramPackage } from '../program.ts';
import type { ChosenProgram } from '../protocol.ts';

/**
 * The packages of the minors that are served, newest first. A minor's protocol is its own: Playwright refuses to mix
 * them.
 */
const packages: Readonly<Record<string, string>> = {
  '1.65': 'playwright-core-1-65',
  '1.64': 'playwright-core-1-64',
  '1.63': 'playwright-core-1-63',
  '1.62': 'playwright-core-1-62',
  '1.61': 'playwright-core-1-61',
};

/** What Playwright loads: not its viewers of traces and reports, and not its command line. */
const loaded = new Set([
  'package.json',
  'browsers.json',
  'index.js',
  'lib/bootstrap.js',
  'lib/coreBundle.js',
  'lib/utilsBundle.js',
]);

const webSockets: ProgramPackage = {
  specifier: 'ws',
  root: rootOf('ws'),
  main: 'wrapper.mjs',
  includes: (path) => path === 'wrapper.mjs' || path.startsWith('lib/'),
};

const chosen = new Map(
  Object.entries(packages).map(([minor, name]): [string, ChosenProgram] => {
    const core = { specifier: name, root: rootOf(name), main: 'index.js' };
    const program: Program = {
      modules: ['playwright/inside-playwright.ts', 'playwright/devtools-transport.ts'],
      packages: [{ ...core, includes: (path) => loaded.has(path) }, webSockets],
    };
    return [minor, { name: `playwright-${minor}`, program, options: { package: name } }];
  }),
);

function rootOf(name: string): string {
  return dirname(fileURLToPath(import.meta.resolve(`${name}/package.json`)));
}

const minors = Object.keys(packages);
const last = minors.at(-1);
const others = minors.slice(0, -1).join(', ');

function notServed(client: string): Answer {
  return textAnswer(
    428,
    'PLAYWRIGHT_VERSION_NOT_SERVED',
    `${client}, and this host serves Playwright ${others} and ${last}. Install one of these, or use connectOverCDP with the session's CDP URL, which works with every version.`,
  );
}

/** Every Playwright client says its version in its user agent: `Playwright/1.65.0 (x64; debian 12) node/24.11`. */
export function playwright({ headers }: IncomingMessage): ChosenProgram | Answer {
  const minor = /^Playwright\/(\d{1,4}\.\d{1,4})\./.exec(headers['user-agent'] ?? '')?.[1];
  if (minor === undefined) return notServed('This client does not say its Playwright version');
  return chosen.get(minor) ?? notServed(`This client is Playwright ${minor}`);
}
