import { type ChildProcess, fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chown, mkdtemp, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { onFreePort } from '../../tests/fixtures/network/free-port.ts';
import { removeSharedMemory } from '../../tests/fixtures/network/squid.ts';
import { startDaemon } from '../../tests/fixtures/process/daemon.ts';
import { scratchDirectory } from '../../tests/fixtures/process/scratch-directory.ts';
import { unprivileged } from '../../tests/fixtures/process/unprivileged.ts';
import { type Listening, largeBytes } from './proxy-process.ts';

/** The servers of `bench/proxy.ts`, each in a process of its own. */
export interface BenchProxy extends Listening, AsyncDisposable {
  pid: number;
  /** Bytes that it has metered. */
  metered(): Promise<number>;
}

/** As `scripts/start` has it. */
const ourOptions = ['--max-semi-space-size=2'];

/** Starts a role of `proxy-process.ts`. */
export async function startNode(
  role: 'metered' | 'forwarder' | 'proxy-chain' | 'proxy-chain-not-sharing' | 'endless',
  upstreamPort = 0,
): Promise<BenchProxy> {
  const isOurs = role === 'metered' || role === 'forwarder';
  const program = join(import.meta.dirname, 'proxy-process.ts');
  const execArgv = [
    ...(isOurs ? ourOptions : []),
    ...(process.env['BENCH_NODE_OPTIONS']?.split(' ').filter(Boolean) ?? []),
  ];
  const child: ChildProcess = fork(program, [role, `${upstreamPort}`], { execArgv });
  const [listening] = (await once(child, 'message')) as [Listening];
  return {
    ...listening,
    pid: child.pid ?? 0,
    async metered() {
      child.send('metered');
      const [bytes] = (await once(child, 'message')) as [number];
      return bytes;
    },
    async [Symbol.asyncDispose]() {
      const exited = once(child, 'exit');
      child.disconnect();
      await exited;
    },
  };
}

/** nginx with a file of 1 KB and one of a gibibyte. As it also accepts absolute URLs, it can be an upstream proxy. */
export async function startTarget(): Promise<{ port: number } & AsyncDisposable> {
  await using undo = new AsyncDisposableStack();
  const root = await mkdtemp('/dev/shm/turnpike-bench-');
  undo.defer(() => rm(root, { recursive: true, force: true }));
  const ids = unprivileged();
  if (ids) await chown(root, ids.uid, ids.gid);
  await writeFile(join(root, 'small'), 'x'.repeat(1024));
  await writeFile(join(root, 'large'), '');
  await truncate(join(root, 'large'), largeBytes);
  const directory = undo.use(await scratchDirectory('turnpike-bench-nginx'));
  const port = await onFreePort(async (free) => {
    await writeFile(join(directory.path, 'nginx.conf'), nginxConfiguration(free, directory.path, root));
    const args = ['-c', join(directory.path, 'nginx.conf'), '-e', join(directory.path, 'error.log')];
    const daemon = await startDaemon('nginx', args, { cwd: directory.path, ready: free });
    undo.defer(daemon.stop);
    return free;
  });
  const owned = undo.move();
  return { port, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

function nginxConfiguration(port: number, directory: string, root: string): string {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  return `daemon off;
    worker_processes 1;
    pid ${directory}/nginx.pid;
    events { worker_connections 8192; }
    http {
      ${temporary.map((name) => `${name}_temp_path ${directory}/${name};`).join(' ')}
      access_log off;
      sendfile on;
      sendfile_max_chunk 1m;
      keepalive_requests 1000000000;
      server { listen 127.0.0.1:${port} backlog=4096; root ${root}; }
    }`;
}

interface SquidOptions {
  /** Its upstream proxy. */
  parentPort?: number;
  /** Whether connections to targets are kept, and used for all clients. */
  sharesTargets?: boolean;
}

/** Squid as Debian has it, without a cache and without a log. */
export async function startBenchSquid(options: SquidOptions = {}): Promise<BenchProxy> {
  await using undo = new AsyncDisposableStack();
  const directory = undo.use(await scratchDirectory('turnpike-bench-squid'));
  // Squid keeps files in /dev/shm under this name.
  const service = `bench${randomBytes(6).toString('hex')}`;
  undo.defer(() => removeSharedMemory(service));
  const daemon = await onFreePort(async (port) => {
    const file = join(directory.path, 'squid.conf');
    await writeFile(file, squidConfiguration(port, directory.path, options));
    const started = await startDaemon('squid', ['-N', '-d', '1', '-n', service, '-f', file], {
      cwd: directory.path,
      stopSignal: 'SIGKILL',
      ready: /Accepting HTTP Socket connections/i,
    });
    return { ...started, port };
  });
  undo.defer(daemon.stop);
  const owned = undo.move();
  return {
    port: daemon.port,
    pid: daemon.pid,
    user: 'u',
    password: 'p',
    metered: async () => 0,
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

function squidConfiguration(
  port: number,
  directory: string,
  { parentPort = 0, sharesTargets = true }: SquidOptions,
): string {
  const parent = [`cache_peer 127.0.0.1 parent ${parentPort} 0 no-query no-digest`, 'never_direct allow all'];
  return [
    `http_port 127.0.0.1:${port}`,
    ...(parentPort > 0 ? parent : []),
    `server_persistent_connections ${sharesTargets ? 'on' : 'off'}`,
    'http_access allow localhost',
    'http_access deny all',
    'access_log none',
    `cache_log ${directory}/cache.log`,
    `pid_filename ${directory}/squid.pid`,
    `coredump_dir ${directory}`,
    'cache deny all',
    'cache_mem 0 MB',
    'netdb_filename none',
    'pinger_enable off',
    '',
  ].join('\n');
}

/** Processor time that a process has used, in seconds. */
export async function processorSeconds(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / 100;
}
