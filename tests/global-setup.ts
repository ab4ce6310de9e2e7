import { once } from 'node:events';
import { createServer } from 'node:http';
import type { TestProject } from 'vitest/node';
import { bundleDependencies } from './fixtures/bundled-dependencies.ts';
import { type Postgres, startPostgres } from './fixtures/postgres.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Answers with the URL of the run's one PostgreSQL cluster, started when first asked for. */
    postgresBroker: string;
  }
}

export default async function globalSetup(project: TestProject): Promise<() => Promise<void>> {
  const [major = 0] = process.versions.node.split('.').map(Number);
  if (major < 24) throw new Error(`tests run on Node 24, not ${process.version}: use npm test`);
  // For the processes of test files, and for what they start.
  const preload = await bundleDependencies();
  const { NODE_OPTIONS = '' } = process.env;
  if (!NODE_OPTIONS.includes(preload)) process.env['NODE_OPTIONS'] = `${NODE_OPTIONS} ${preload}`.trim();

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
  };
}
