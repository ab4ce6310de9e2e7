import { type Program, packageRoot, webSocketPackage } from '../program.ts';

/** Puppeteer as one file, for where there is no file system: a worker loads it in a fraction of the time. */
const bundle = 'lib/es5-iife/puppeteer-core-browser.js';

/** The program that runs a script, or Lighthouse. */
export const scriptProgram: Program = {
  modules: [
    'script/inside-script.ts',
    'script/content-type.ts',
    'script/script-result.ts',
    'inside/devtools-socket.ts',
  ],
  packages: [
    {
      specifier: 'puppeteer-core',
      root: packageRoot('puppeteer-core', import.meta.dirname),
      main: bundle,
      includes: (path) => path === bundle,
      format: 'commonjs',
      appended: '\nmodule.exports = Puppeteer;\n',
    },
    webSocketPackage,
  ],
};
