import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from '../../tests/fixtures/network/free-port.ts';
import type { Client } from './drive-session.ts';
import { type Engine, root, storeDirectory } from './engine.ts';
import { ready } from './ready.ts';
import { systemdImage } from './stand-ins.ts';

const name = 'turnpike-test-systemd';

export interface Machine extends AsyncDisposable {
  client: Client;
  /** Stops the unit; throws unless it ended in order. */
  stopUnit(): Promise<void>;
  /** Installs gateway, host and proxy by their own units, lets the host join the gateway, and stops them. */
  runParts(): Promise<void>;
  logs(): Promise<string>;
}

/** Starts a machine with systemd as a container, installs the all-in-one on it as the documents say, and starts it. */
export async function startUnit(engine: Engine): Promise<Machine> {
  const remove = () => engine.output('podman', 'rm', '--force', '--ignore', '--time', '20', name);
  await remove();
  const settings = join(storeDirectory, 'turnpike.env');
  const [port, hostPort, proxyPort] = [await freePort(), await freePort(), await freePort()];
  const lines = [
    'TURNPIKE_DATA_DIR=/var/lib/turnpike',
    'TURNPIKE_PROXY_TARGET_ALLOW=127.0.0.0/8',
    `TURNPIKE_PORT=${port}`,
    `TURNPIKE_HOST_PORT=${hostPort}`,
    `TURNPIKE_PROXY_PORT=${proxyPort}`,
    'TURNPIKE_HOST_WARM_HEADFUL=0',
    'TURNPIKE_HOST_WARM_HEADLESS=0',
  ];
  writeFileSync(settings, `${lines.join('\n')}\n`, { mode: 0o600 });
  // Privileged as a machine is; what the unit takes away is the unit's own doing.
  const machine = ['--privileged', '--systemd=always', '--network=host'];
  const files = [
    `--volume=${root}/deploy:/opt/turnpike/deploy:ro`,
    `--volume=${settings}:/etc/turnpike/turnpike.env:ro`,
  ];
  await engine.output('podman', 'run', '--detach', '--name', name, ...machine, ...files, systemdImage);
  const inside = (...command: string[]) => engine.output('podman', 'exec', name, ...command);
  const logs = () => inside('journalctl', '--no-pager', '--lines=40');
  try {
    await inside('node', 'apps/cli/src/main.ts', 'install');
    await inside('systemctl', 'daemon-reload');
    await inside('systemctl', 'start', 'turnpike');
    const gatewayUrl = `http://127.0.0.1:${port}`;
    await ready(`${gatewayUrl}/health/ready`);
    // By the command that was installed, which finds the settings itself.
    const created = await inside('turnpike', 'account', 'create', '--email', 'ann@example.com', '--json');
    const { apiKey, proxyUser, proxyPassword } = JSON.parse(created);
    return {
      client: { gatewayUrl, apiKey, proxy: `http://${proxyUser}:${proxyPassword}@127.0.0.1:${proxyPort}` },
      logs,
      stopUnit: () => stopUnit(inside, 'turnpike'),
      runParts: () => runParts(inside),
      async [Symbol.asyncDispose]() {
        await remove();
      },
    };
  } catch (error) {
    console.error(await logs().catch(String));
    await remove();
    throw error;
  }
}

type Inside = (...command: string[]) => Promise<string>;

async function stopUnit(inside: Inside, unit: string): Promise<void> {
  await inside('systemctl', 'stop', unit);
  const state = await inside('systemctl', 'show', '--property=ActiveState,Result', unit);
  if (!/ActiveState=inactive/.test(state) || !/Result=success/.test(state))
    throw new Error(`${unit}: ${state}`);
}

async function runParts(inside: Inside): Promise<void> {
  const secret = randomBytes(32).toString('hex');
  const [port, privatePort] = [await freePort(), await freePort()];
  // In place of PostgreSQL, a store in the private /tmp that each of these units has.
  const store = { TURNPIKE_DATA_DIR: '/tmp/turnpike', TURNPIKE_SECRET_KEY: secret };
  const settings = {
    gateway: {
      ...store,
      TURNPIKE_CLUSTER_SECRET: secret,
      TURNPIKE_PORT: port,
      TURNPIKE_PRIVATE_PORT: privatePort,
    },
    host: {
      TURNPIKE_CLUSTER_SECRET: secret,
      TURNPIKE_GATEWAY_URL: `http://127.0.0.1:${privatePort}`,
      TURNPIKE_HOST_NAME: 'one',
      TURNPIKE_HOST_PORT: await freePort(),
      TURNPIKE_HOST_PRIVATE_PORT: await freePort(),
      TURNPIKE_HOST_WARM_HEADFUL: 0,
      TURNPIKE_HOST_WARM_HEADLESS: 0,
    },
    proxy: { ...store, TURNPIKE_PROXY_PORT: await freePort() },
  };
  for (const [part, values] of Object.entries(settings)) {
    const lines = Object.entries(values).map(([key, value]) => `${key}=${value}\n`);
    await inside('sh', '-c', `cat >/etc/turnpike/${part}.env <<'END'\n${lines.join('')}END`);
    await inside('node', 'apps/cli/src/main.ts', 'install', part);
  }
  await inside('systemctl', 'daemon-reload');
  for (const part of Object.keys(settings)) await inside('systemctl', 'start', `turnpike-${part}`);
  await ready(`http://127.0.0.1:${port}/health/ready`);
  await logged(inside, 'turnpike-host', 'joined the gateways');
  await logged(inside, 'turnpike-proxy', 'The metered proxy is up');
  for (const part of ['host', 'proxy', 'gateway']) await stopUnit(inside, `turnpike-${part}`);
}

async function logged(inside: Inside, unit: string, words: string): Promise<void> {
  const deadline = Date.now() + 60_000;
  while (!(await inside('journalctl', '--no-pager', '-u', unit)).includes(words)) {
    if (Date.now() > deadline) throw new Error(`${unit} did not log "${words}" within a minute`);
    await delay(200);
  }
}
