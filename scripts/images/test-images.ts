import { clusterClient, startCluster } from './compose.ts';
import { driveSessions, type Visit } from './drive-session.ts';
import { type Engine, missing, startEngine, storeDirectory } from './engine.ts';
import { buildStandIns, buildSystemd } from './stand-ins.ts';
import { startUnit } from './systemd.ts';

/**
 * Builds every image, starts the compose file's services, opens sessions through them and stops them. Images of others
 * are replaced by stand-ins made from Debian's packages, so no registry of images is needed.
 */
const version = 'test';

async function main(): Promise<void> {
  const reason = missing();
  if (reason) {
    console.log(`images: SKIPPED, nothing was built or run (${reason}).`);
    console.log('images: To run it: apt-get install podman runc podman-compose debootstrap, as root.');
    return;
  }
  const engine = startEngine({ CONTAINER_ENGINE: 'podman' });
  await step('images of others, from Debian packages', () => buildStandIns(engine));
  await step('turnpike/base, gateway, host and proxy', () => engine.show('deploy/docker/build', version));
  // Layers of the last day make the next build quick.
  await engine.output('podman', 'image', 'prune', '--force', '--filter', 'until=24h');
  await testCompose();
  await testUnit(engine);
  console.log(`images: passed. Layers are kept in ${storeDirectory}.`);
}

async function testCompose(): Promise<void> {
  await using cluster = await step('compose up', () => startCluster(version));
  try {
    const visits = await step('compose: a session on each host', async () =>
      driveSessions(await clusterClient(cluster), 'http://balancer:8080/docs', 2),
    );
    show(visits);
  } catch (error) {
    console.error(error);
    console.error(await cluster.logs());
    throw error;
  }
  console.log('images: compose down …');
}

async function testUnit(engine: Engine): Promise<void> {
  await step('a machine with systemd', () => buildSystemd(engine));
  await using machine = await step('systemd: turnpike install, systemctl start', () => startUnit(engine));
  try {
    const { client } = machine;
    show(await step('systemd: sessions', () => driveSessions(client, `${client.gatewayUrl}/docs`, 1)));
    await step('systemd: systemctl stop', () => machine.stopUnit());
    await step('systemd: gateway, host and proxy by their own units', () => machine.runParts());
  } catch (error) {
    console.error(error);
    console.error(await machine.logs());
    throw error;
  }
}

function show(visits: readonly Visit[]): void {
  for (const { host, title } of visits) console.log(`images:   the browser at ${host} showed "${title}"`);
}

async function step<T>(name: string, work: () => Promise<T>): Promise<T> {
  console.log(`images: ${name} …`);
  const began = performance.now();
  const result = await work();
  console.log(`images: ${name}: ${((performance.now() - began) / 1000).toFixed(1)} s`);
  return result;
}

await main();
