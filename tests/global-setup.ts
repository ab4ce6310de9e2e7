import { existsSync, statfsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { type Postgres, startPostgres } from './fixtures/database/postgres.ts';
import { listen } from './fixtures/network/listen.ts';
import { type ServiceProcess, startServiceProcess } from './fixtures/service/service-process.ts';
import { bundleDependencies } from './fixtures/suite/bundled-dependencies.ts';
import { violationsFile, violationsPath } from './fixtures/suite/check-answers.ts';
import { compileCache } from './fixtures/suite/compile-cache.ts';
import { sharedDirectory } from './fixtures/suite/shared-directory.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The URL of what starts, when first asked for, what test files share: a PostgreSQL cluster and services. */
    broker: string;
    /** For the temporary directories of the processes that run test files. */
    runDirectory: string;
  }
}

export default async function globalSetup(project: TestProject): Promise<() => Promise<void>> {
  const [major = 0] = process.versions.node.split('.').map(Number);
  if (major < 24) throw new Error(`tests run on Node 24, not ${process.version}: use npm test`);
  // For the processes of test files, and for what they start.
  const preload = await bundleDependencies();
  const { NODE_OPTIONS = '' } = process.env;
  if (!NODE_OPTIONS.includes(preload)) process.env['NODE_OPTIONS'] = `${NODE_OPTIONS} ${preload}`.trim();

  const runDirectory = createRunDirectory();
  project.provide('runDirectory', runDirectory);

  const shared = new SharedParts(runDirectory);
  const broker = createServer(async (request, response) => {
    try {
      response.end(await shared.answer(request.url ?? ''));
    } catch (error) {
      response.writeHead(500).end(String(error));
    }
  });
  await listen(broker);
  const address = broker.address();
  if (address === null || typeof address === 'string') throw new Error('not listening on TCP');
  project.provide('broker', `http://127.0.0.1:${address.port}/`);

  return async () => {
    broker.close();
    broker.closeAllConnections();
    await shared.stop();
    await rm(runDirectory, { recursive: true, maxRetries: 5 });
  };
}

class SharedParts {
  readonly #runDirectory: string;
  #cluster: Promise<Postgres> | undefined;
  /** By the number of the process, among those that run at a time, whose test files use it. */
  readonly #services = new Map<string, Promise<ServiceProcess>>();

  constructor(runDirectory: string) {
    this.#runDirectory = runDirectory;
  }

  async answer(path: string): Promise<string> {
    const [, kind, pool = ''] = path.split('/');
    if (kind === 'postgres') {
      this.#cluster ??= startPostgres();
      return (await this.#cluster).url;
    }
    const starting = this.#services.get(pool) ?? this.#startService(pool);
    this.#services.set(pool, starting);
    const { settings, output } = await starting;
    return JSON.stringify({ settings, output: output() });
  }

  async #startService(pool: string): Promise<ServiceProcess> {
    const directory = sharedDirectory(join(this.#runDirectory, 'p'));
    const env = {
      TMPDIR: directory,
      NODE_COMPILE_CACHE: compileCache,
      TURNPIKE_METRICS_PORT: '0',
      [violationsFile]: violationsPath(this.#runDirectory, pool),
    };
    return await startServiceProcess({ dataDirectory: join(directory, 'data'), env });
  }

  async stop(): Promise<void> {
    const started = await Promise.allSettled([...this.#services.values()]);
    const up = started.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
    const codes = await Promise.all(up.map((service) => service.stop()));
    const cluster = await this.#cluster?.catch(() => undefined);
    await cluster?.[Symbol.asyncDispose]();
    if (codes.some((code) => code !== 0)) throw new Error(`a shared service ended with ${codes.join()}`);
  }
}

/**
 * The name is short because unix sockets are put below it. In memory where there is room: the stores of tests wait for
 * the disk at every commit.
 */
function createRunDirectory(): string {
  const memory = '/dev/shm';
  return sharedDirectory(join(roomIn(memory) > 4 * 2 ** 30 ? memory : tmpdir(), 'tp-'));
}

function roomIn(directory: string): number {
  if (!existsSync(directory)) return 0;
  const { bavail, bsize } = statfsSync(directory);
  return bavail * bsize;
}
