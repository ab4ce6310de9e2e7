import type { IncomingMessage } from 'node:http';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { errors } from '@turnpike/contract/errors';
import {
  type PlaywrightMinor,
  playwrightAdvice,
  playwrightMinor,
  playwrightMinors,
} from '@turnpike/contract/protocols';
import { type Answer, textAnswer } from '../../relay/answers.ts';
import type { Program, ProgramPackage } from '../program.ts';
import type { ChosenProgram } from '../protocol.ts';

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
  playwrightMinors.map((minor): [PlaywrightMinor, ChosenProgram] => {
    // A minor's protocol is its own: Playwright refuses to mix them.
    const name = `playwright-core-${minor.replace('.', '-')}`;
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

export function playwright({ headers }: Pick<IncomingMessage, 'headers'>): ChosenProgram | Answer {
  const userAgent = headers['user-agent'];
  const minor = playwrightMinor(userAgent);
  const { status, code } = errors.playwrightVersion;
  return (minor && chosen.get(minor)) ?? textAnswer(status, code, playwrightAdvice(userAgent));
}
