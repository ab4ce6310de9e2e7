import { randomBytes } from 'node:crypto';
import { freePort } from '../../tests/fixtures/network/free-port.ts';
import type { Client } from './drive-session.ts';
import { type Engine, startEngine } from './engine.ts';
import { ready } from './ready.ts';

const project = 'turnpike-test';
const ports = ['GATEWAY_PORT', 'PROXY_PORT', 'HOST_1_PORT', 'HOST_2_PORT'] as const;

export interface Cluster extends AsyncDisposable {
  gatewayUrl: string;
  /** Runs `turnpike …` beside a gateway. */
  turnpike(...args: string[]): Promise<string>;
  /** The last lines of every container. */
  logs(): Promise<string>;
}

/** Starts the compose file's services on free ports, with secrets of their own. */
export async function startCluster(version: string): Promise<Cluster> {
  const settings: Record<string, string> = {
    TURNPIKE_VERSION: version,
    POSTGRES_PASSWORD: randomBytes(16).toString('hex'),
    TURNPIKE_SECRET_KEY: randomBytes(32).toString('hex'),
    TURNPIKE_CLUSTER_SECRET: randomBytes(32).toString('hex'),
  };
  for (const port of ports) settings[port] = `${await freePort()}`;
  const engine = startEngine(settings);
  const files = ['deploy/compose/compose.yaml', 'tests/deploy/compose.test.yaml'];
  const compose = ['--project-name', project, ...files.flatMap((file) => ['--file', file])];
  const down = () => stop(engine, compose);
  await down();
  const cluster: Cluster = {
    gatewayUrl: `http://localhost:${settings['GATEWAY_PORT']}`,
    turnpike: (...args) =>
      engine.output('podman', 'exec', `${project}_gateway-1_1`, 'node', 'apps/cli/src/main.ts', ...args),
    logs: () => containerLogs(engine),
    [Symbol.asyncDispose]: down,
  };
  try {
    await engine.output('podman-compose', ...compose, 'up', '--detach', '--no-build');
    await ready(`${cluster.gatewayUrl}/health/ready`);
  } catch (error) {
    console.error(await cluster.logs());
    await down();
    throw error;
  }
  return cluster;
}

/** Ends what a run has left, its own or one that was killed. */
async function stop(engine: Engine, compose: readonly string[]): Promise<void> {
  await engine.output('podman-compose', ...compose, 'down', '--volumes', '--timeout', '30');
  const left = await containers(engine);
  if (left.length > 0) await engine.output('podman', 'rm', '--force', ...left);
}

async function containers(engine: Engine): Promise<string[]> {
  const names = await engine.output('podman', 'ps', '--all', '--format', '{{.Names}}');
  return names.split('\n').filter((name) => name.startsWith(`${project}_`));
}

async function containerLogs(engine: Engine): Promise<string> {
  const parts: string[] = [];
  for (const name of await containers(engine))
    parts.push(`--- ${name}`, await engine.output('sh', '-c', `podman logs --tail 30 ${name} 2>&1`));
  return parts.join('\n');
}

/** An account of the cluster's, once both hosts take sessions. */
export async function clusterClient({ gatewayUrl, turnpike }: Cluster): Promise<Client> {
  await hostsJoined(turnpike);
  const created = await turnpike('account', 'create', '--email', 'ann@example.com', '--json');
  const { apiKey, proxyUser, proxyPassword } = JSON.parse(created);
  return { gatewayUrl, apiKey, proxy: `http://${proxyUser}:${proxyPassword}@proxy:8082` };
}

async function hostsJoined(turnpike: Cluster['turnpike']): Promise<void> {
  const deadline = Date.now() + 120_000;
  for (;;) {
    const hosts: { seats: number }[] = JSON.parse(await turnpike('host', 'ls', '--json'));
    if (hosts.filter(({ seats }) => seats > 0).length === 2) return;
    if (Date.now() > deadline) throw new Error('two hosts did not join within two minutes');
  }
}
