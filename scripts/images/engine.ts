import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, constants, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import { promisify } from 'node:util';

export const root = resolve(import.meta.dirname, '../..');

/** Images, layers and what they are made from: kept between runs, apart from the machine's own images. */
export const storeDirectory = '/var/cache/turnpike-test-images';

const programs = ['podman', 'runc', 'podman-compose', 'debootstrap'];

/** Says why images cannot be built and run here, or nothing when they can. */
export function missing(): string | undefined {
  if (process.getuid?.() !== 0) return 'this user is not root';
  const absent = programs.filter((program) => !installed(program));
  return absent.length > 0 ? `not installed: ${absent.join(', ')}` : undefined;
}

function installed(program: string): boolean {
  return [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin'].some((directory) => {
    try {
      accessSync(join(directory, program), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

/** Podman's settings for these images alone, in files of their own: none of the machine's is read or changed. */
export function engineEnvironment(): NodeJS.ProcessEnv {
  mkdirSync(storeDirectory, { recursive: true, mode: 0o700 });
  const files = {
    CONTAINERS_CONF: `[containers]
# Builds fetch packages as this machine does.
netns = "host"
# No more than this process may hand on: the default asks for more, which not every machine allows.
default_ulimits = ["nofile=${limit('open files', 65_536)}", "nproc=${limit('processes', 30_000)}"]
[engine]
runtime = "runc"
cgroup_manager = "cgroupfs"
events_logger = "file"
[network]
network_backend = "netavark"
network_config_dir = "${storeDirectory}/networks"
`,
    CONTAINERS_STORAGE_CONF: `[storage]
driver = "overlay"
graphroot = "${storeDirectory}/storage"
runroot = "/run/turnpike-test-images"
`,
    // A name without a registry is that of an image here; nothing is pulled.
    CONTAINERS_REGISTRIES_CONF:
      'unqualified-search-registries = ["docker.io"]\nshort-name-mode = "permissive"\n',
  };
  const environment: NodeJS.ProcessEnv = { ...process.env, LC_ALL: 'C.UTF-8' };
  for (const [name, text] of Object.entries(files)) {
    const file = join(storeDirectory, `${name.toLowerCase()}.conf`);
    writeFileSync(file, text);
    environment[name] = file;
  }
  return environment;
}

/** What is wanted or this process's hard limit, whichever is less, as `soft:hard` of a container. */
function limit(name: string, wanted: number): string {
  const limits = readFileSync('/proc/self/limits', 'utf8');
  const [, hard] = new RegExp(`^Max ${name} +\\S+ +(\\d+)`, 'm').exec(limits) ?? [];
  const value = Math.min(wanted, Number(hard ?? wanted));
  return `${value}:${value}`;
}

export interface Engine {
  env: NodeJS.ProcessEnv;
  /** Runs a program with the engine's settings, its output shown; throws when it fails. */
  show(program: string, ...args: string[]): Promise<void>;
  /** Runs a program and returns what it printed. */
  output(program: string, ...args: string[]): Promise<string>;
  succeeds(program: string, ...args: string[]): Promise<boolean>;
}

export function startEngine(extra: NodeJS.ProcessEnv = {}): Engine {
  const env = { ...engineEnvironment(), ...extra };
  const output = async (program: string, ...args: string[]) => {
    const { stdout } = await promisify(execFile)(program, args, { env, cwd: root, maxBuffer: 64 << 20 });
    return stdout;
  };
  return {
    env,
    output,
    async show(program, ...args) {
      const child = spawn(program, args, { env, cwd: root, stdio: ['ignore', 'inherit', 'inherit'] });
      const [code, signal] = await once(child, 'exit');
      if (code !== 0) throw new Error(`${program} ${args.join(' ')} ended with ${code ?? signal}`);
    },
    succeeds: (program, ...args) =>
      output(program, ...args).then(
        () => true,
        () => false,
      ),
  };
}
