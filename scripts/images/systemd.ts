import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../../tests/fixtures/free-port.ts';
import type { Client } from './drive-session.ts';
import { type Engine, root, storeDirectory } from './engine.ts';
import { ready } from './ready.ts';
import { systemdImage } from './stand-ins.ts';

const name = 'turnpike-test-systemd';

export interface Machine extends AsyncDisposable {
  client: Client;
  /** Stops the unit; throws unless it ended in order. */
  stopUnit(): Promise<void>;
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
      async stopUnit() {
        await inside('systemctl', 'stop', 'turnpike');
        const state = await inside('systemctl', 'show', '--property=ActiveState,Result', 'turnpike');
        if (!/ActiveState=inactive/.test(state) || !/Result=success/.test(state)) throw new Error(state);
      },
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
