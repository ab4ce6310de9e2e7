import { once } from 'node:events';
import { chmodSync, existsSync, mkdtempSync, statfsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { bundleDependencies } from './fixtures/bundled-dependencies.ts';
import { type Postgres, startPostgres } from './fixtures/postgres.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Answers with the URL of the run's one PostgreSQL cluster, started when first asked for. */
    postgresBroker: string;
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

  let cluster: Promise<Postgres> | undefined;
  const broker = createServer(async (_request, response) => {
    try {
      cluster ??= startPostgres();
      response.end((await cluster).url);
    } catch (error) {
      response.writeHead(500).end(String(error));
    }
  });
  broker.listen(0, '127.0.0.1');
  await once(broker, 'listening');
  const address = broker.address();
  if (address === null || typeof address === 'string') throw new Error('not listening on TCP');
  project.provide('postgresBroker', `http://127.0.0.1:${address.port}/`);

  return async () => {
    broker.close();
    broker.closeAllConnections();
    const started = await cluster?.catch(() => undefined);
    await started?.[Symbol.asyncDispose]();
    await rm(runDirectory, { recursive: true, maxRetries: 5 });
  };
}

/**
 * The name is short because unix sockets are put below it. In memory where there is room: the stores of tests wait for
 * the disk at every commit.
 */
function createRunDirectory(): string {
  const memory = '/dev/shm';
  const path = mkdtempSync(join(roomIn(memory) > 4 * 2 ** 30 ? memory : tmpdir(), 'tp-'));
  chmodSync(path, 0o1777); // Daemons run as other users.
  return path;
}

function roomIn(directory: string): number {
  if (!existsSync(directory)) return 0;
  const { bavail, bsize } = statfsSync(directory);
  return bavail * bsize;
}
