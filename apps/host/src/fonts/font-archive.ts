import type { OperatingSystem } from '@turnpike/contract/create-parameters';
import type { Logger } from 'pino';
import { runSandboxed } from '../sandbox/diagnosis.ts';
import { fontsInside, insideHome } from '../sandbox/inside-paths.ts';
import { fontConfig } from './font-config.ts';
import { installedFonts } from './installed-fonts.ts';
import { systemFonts } from './system-fonts.ts';

const directory = `${insideHome}/fonts`;
const configFile = `${directory}/fonts.conf`;
const timeoutMs = 30_000;

/** Scans the fonts, which writes the cache, and prints it and the configuration as an archive. */
const scan = [
  `mkdir -p ${directory}/cache`,
  `printf %s "$1" >${configFile}`,
  `FONTCONFIG_FILE=${configFile} fc-list >/dev/null 2>&1`,
  `tar -c -C ${directory} . | base64 -w 0`,
].join('\n');

/** Shell lines that give a browser the fonts of its claimed system, from an archive. */
export const fontsScript: readonly string[] = [
  `mkdir ${directory} && tar -xf ${fontsInside} -C ${directory} || exit 1`,
  `export FONTCONFIG_FILE=${configFile}`,
];

/**
 * Archives of fontconfig's configuration for each claimed system, with a cache: without one, each browser would scan
 * the fonts when it starts, for about 0.1 s. They are built in a sandbox, where paths are those that browsers see.
 */
export class FontArchives {
  readonly #chromium: string;
  readonly #logger: Logger;
  readonly #built = new Map<OperatingSystem, Promise<Buffer | undefined>>();

  constructor(chromium: string, logger: Logger) {
    this.#chromium = chromium;
    this.#logger = logger;
  }

  /** Builds it on first use. Returns undefined if the system keeps the machine's own fonts, or it cannot be built. */
  get(os: OperatingSystem): Promise<Buffer | undefined> {
    const built = this.#built.get(os) ?? this.#build(os);
    this.#built.set(os, built);
    return built;
  }

  async #build(os: OperatingSystem): Promise<Buffer | undefined> {
    if (os === 'linux') return undefined;
    try {
      const config = fontConfig(systemFonts[os], installedFonts());
      const printed = await runSandboxed(this.#chromium, ['/bin/sh', '-c', scan, 'sh', config], timeoutMs);
      return Buffer.from(printed, 'base64');
    } catch (error) {
      const { message: reason } = error as Error;
      this.#logger.warn({ os, reason }, "browsers show the machine's fonts, not those of the claimed system");
      return undefined;
    }
  }
}
