import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const cache = join(import.meta.dirname, '../../node_modules/.cache/real-clients');
const programs = join(import.meta.dirname, 'programs');

/** Its registry or its toolchain is not at hand: a reason to skip a client. Any other failure is one of the test. */
export class NotAtHand extends Error {}

/** What pip, npm, Go and Maven say when they reach no registry. */
const unreached =
  /ENOTFOUND|ECONNREFUSED|ECONNRESET|ETIMEDOUT|EAI_AGAIN|ENETUNREACH|NewConnectionError|NameResolutionError|ConnectTimeoutError|ReadTimeoutError|ProxyError|dial tcp|i\/o timeout|no such host|Unknown host|Connection refused|Connect timed out/;

/** A directory with these npm packages. Made once; its name has the versions, so another version is another one. */
export function npmPackages(packages: Readonly<Record<string, string>>): Promise<string> {
  const wanted = Object.entries(packages).map(([name, version]) => `${name}@${version}`);
  return madeOnce(`npm ${wanted.join(' ')}`, async (directory) => {
    await writeFile(join(directory, 'package.json'), '{"private":true,"type":"module"}');
    const quiet = ['--no-audit', '--no-fund', '--no-update-notifier', '--ignore-scripts', '--loglevel=error'];
    await install('npm', ['install', '--no-save', ...quiet, ...wanted], directory);
  });
}

/** The Python of an environment with these packages from PyPI. */
export async function pythonPackages(...packages: string[]): Promise<string> {
  const directory = await madeOnce(`pip ${packages.join(' ')}`, async (made) => {
    await install(systemPython(), ['-m', 'venv', made], made);
    const quiet = ['--quiet', '--disable-pip-version-check', '--no-input', '--retries', '1'];
    await install(join(made, 'bin/python'), ['-m', 'pip', 'install', ...quiet, ...packages], made);
  });
  return join(directory, 'bin/python');
}

/** Installs the npm packages of Robot Framework's Browser library into its Python environment. */
export async function browserLibrary(python: string): Promise<void> {
  await madeOnce(`rfbrowser ${python.split('/').at(-3)}`, async (made) => {
    await install(python, ['-m', 'Browser.entry', 'init', '--skip-browsers'], made);
  });
}

/** The program of that name in `programs/` or another directory, built with this Go module. */
export async function goProgram(
  name: string,
  module: string,
  version: string,
  directoryOfPrograms = programs,
): Promise<string> {
  const source = await readFile(join(directoryOfPrograms, name, 'main.go'));
  const digest = createHash('sha256').update(source).digest('hex').slice(0, 12);
  const directory = await madeOnce(`go ${name} ${version} ${digest}`, async (made) => {
    await writeFile(join(made, 'main.go'), source);
    await install('go', ['mod', 'init', 'real-client'], made);
    await install('go', ['get', `${module}@${version}`], made);
    await install('go', ['mod', 'tidy'], made);
    await install('go', ['build', '-o', 'client', '.'], made);
  });
  return join(directory, 'client');
}

/** The jar files of dependencies from Maven Central, as a class path for `java`. Each is `group:artifact:version`. */
export async function mavenPackages(...packages: string[]): Promise<string> {
  const directory = await madeOnce(`maven ${packages.join(' ')}`, async (made) => {
    const named = (name: string) => {
      const [group, artifact, version] = name.split(':');
      return `<groupId>${group}</groupId><artifactId>${artifact}</artifactId><version>${version}</version>`;
    };
    const dependencies = packages.map((name) => `<dependency>${named(name)}</dependency>`).join('');
    await writeFile(
      join(made, 'pom.xml'),
      `<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>` +
        `${named('real-client:real-client:1')}<dependencies>${dependencies}</dependencies></project>`,
    );
    const repository = `-Dmaven.repo.local=${join(cache, 'maven')}`;
    const copy = ['dependency:copy-dependencies', '-DoutputDirectory=jars'];
    await install('mvn', ['--quiet', '--batch-mode', repository, ...copy], made);
  });
  return join(directory, 'jars/*');
}

/** Debian's own, for which its venv package is; elsewhere what there is. */
function systemPython(): string {
  return existsSync('/usr/bin/python3') ? '/usr/bin/python3' : 'python3';
}

/** Whatever is left of an installation that was cut off is not taken for one. */
export async function madeOnce(words: string, make: (directory: string) => Promise<void>): Promise<string> {
  const directory = join(cache, words.replaceAll(/[^\w.@=-]+/g, '_'));
  const complete = join(directory, 'complete');
  if (existsSync(complete)) return directory;
  await rm(directory, { recursive: true, force: true });
  await mkdir(directory, { recursive: true });
  await make(directory);
  await writeFile(complete, '');
  return directory;
}

export async function install(program: string, args: readonly string[], cwd: string): Promise<void> {
  const env = {
    ...process.env,
    PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD: '1',
    PUPPETEER_SKIP_DOWNLOAD: '1',
    GOMODCACHE: join(cache, 'go-modules'),
    GOCACHE: join(cache, 'go-build'),
    // Otherwise nobody may delete the modules.
    GOFLAGS: '-modcacherw -buildvcs=false',
  };
  try {
    await run(program, args, { cwd, env, timeout: 560_000, maxBuffer: 2 ** 26 });
  } catch (error) {
    const failed = error as { code?: unknown; stdout?: string; stderr?: string; message: string };
    const { code, stdout = '', stderr = '', message } = failed;
    if (code === 'ENOENT') throw new NotAtHand(`${program} is not installed`);
    // Maven writes its errors to stdout.
    const said = `${stderr}\n${stdout}`;
    const line = said.split('\n').find((each) => unreached.test(each));
    if (line !== undefined) throw new NotAtHand(`${program} reached no registry: ${line}`);
    throw new Error(`${message}\n${said}`, { cause: error });
  }
}

/** What was installed; or the test is skipped, and says why. */
export async function orSkip<T>(installed: Promise<T>, skip: (reason: string) => never): Promise<T> {
  try {
    return await installed;
  } catch (error) {
    if (!(error instanceof NotAtHand)) throw error;
    console.warn(`skipped: ${error.message}`);
    return skip(error.message);
  }
}
