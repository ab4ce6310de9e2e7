import type { IncomingMessage } from 'node:http';
import { errors } from '@turnpike/contract/errors';
import {
  type PlaywrightMinor,
  playwrightAdvice,
  playwrightMinor,
  playwrightMinors,
} from '@turnpike/contract/protocols';
import { type Answer, textAnswer } from '../../relay/answers.ts';
import { type Program, packageRoot, webSocketPackage } from '../program.ts';
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

const chosen = new Map(
  playwrightMinors.map((minor): [PlaywrightMinor, ChosenProgram] => {
    // A minor's protocol is its own: Playwright refuses to mix them.
    const name = `playwright-core-${minor.replace('.', '-')}`;
    const core = { specifier: name, root: packageRoot(name, import.meta.dirname), main: 'index.js' };
    const program: Program = {
      modules: [
        'playwright/inside-playwright.ts',
        'playwright/devtools-transport.ts',
        'inside/devtools-socket.ts',
      ],
      packages: [{ ...core, includes: (path) => loaded.has(path) }, webSocketPackage],
    };
    return [minor, { name: `playwright-${minor}`, program, options: { package: name } }];
  }),
);

export function playwright({ headers }: Pick<IncomingMessage, 'headers'>): ChosenProgram | Answer {
  const userAgent = headers['user-agent'];
  const minor = playwrightMinor(userAgent);
  const { status, code } = errors.playwrightVersion;
  return (minor && chosen.get(minor)) ?? textAnswer(status, code, playwrightAdvice(userAgent));
}
