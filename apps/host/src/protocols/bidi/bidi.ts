import { type Program, packageRoot, webSocketPackage } from '../program.ts';
import type { ChosenProgram } from '../protocol.ts';

const mapperRoot = packageRoot('chromium-bidi', import.meta.dirname);

const program: Program = {
  modules: [
    'bidi/inside-bidi.ts',
    'bidi/bidi-client.ts',
    'bidi/bidi-message.ts',
    'inside/devtools-socket.ts',
  ],
  packages: [
    {
      specifier: 'chromium-bidi',
      root: mapperRoot,
      main: 'out/Default/gen/src/index.js',
      // Not the mapper for a tab of its own, which has everything once more.
      includes: (path) =>
        /^out\/Default\/gen\/src\/(?:bidiMapper|cdp|protocol|protocol-parser|utils)\/.*\.js$/.test(path) ||
        path === 'out/Default/gen/src/bidiTab/BidiParser.js',
    },
    {
      specifier: 'zod',
      root: packageRoot('zod', mapperRoot),
      main: 'index.js',
      includes: (path) => /^(?:index|v4\/(?:classic|core|locales)\/.+)\.js$/.test(path),
    },
    {
      specifier: 'mitt',
      root: packageRoot('mitt', mapperRoot),
      main: 'dist/mitt.mjs',
      includes: (path) => path === 'dist/mitt.mjs',
    },
    webSocketPackage,
  ],
};

/** WebDriver BiDi: one worker serves all clients of a session. */
export function bidi(): ChosenProgram {
  return { name: 'bidi', program, options: {} };
}
