import { type ChildProcess, spawn } from 'node:child_process';
import type { Socket as DatagramSocket } from 'node:dgram';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { chmod, writeFile } from 'node:fs/promises';
import type { Server, Socket } from 'node:net';
import { join } from 'node:path';
import { scratchDirectory } from '../fixtures/process/scratch-directory.ts';
import type { AgentAnswer, AgentRequest } from './namespace-agent.ts';

/** An address that stands for the machine's public side, and the one where clouds keep their credentials. */
export const publicAddress = '192.0.2.1';
export const metadataAddress = '169.254.169.254';

/** An address of the internet at large, for a proxy that is out there. It leads nowhere but to loopback. */
export const distantAddress = '9.9.9.9';

/** A name that only our own network knows. */
export const internalName = { name: 'database.internal', address: '10.20.30.40' };

/**
 * A network namespace for the service under attack, with everything that a leak could use: loopback, a default
 * route for both families out of an interface, a resolver and a hosts file. The tests stay outside it, so that every packet
 * in it is the service's; sockets that a test needs inside are made there by a agent and handed out.
 *
 * The interface is one end of a pair whose other end nobody reads, without ARP and multicast: the kernel itself
 * then sends nothing over it, and one packet on it is one too many.
 */
export interface Namespace extends AsyncDisposable {
  /** Puts a command into the namespace. */
  enter: readonly string[];
  listener(port: number, host?: string): Promise<Server>;
  connection(port: number, host?: string): Promise<Socket>;
  datagrams(port: number, host?: string): Promise<DatagramSocket>;
  /** How many connections were asked for through the agent so far. */
  dialled(): number;
  traffic(): Traffic;
}

/** What the kernel counted in the namespace since it was made. */
export interface Traffic {
  /** Packets either way on every interface but loopback. */
  outside: number;
  datagramsSent: number;
  icmpSent: number;
  /** Attempts included; and those of them that came to nothing. */
  connectionsOpened: number;
  connectionsFailed: number;
}

const isRoot = process.getuid?.() === 0;

const setUp = `
set -e
ip link set lo up
ip addr add ${metadataAddress}/32 dev lo
ip addr add ${distantAddress}/32 dev lo
ip link add outside type veth peer name beyond
for end in outside beyond; do ip link set $end arp off multicast off addrgenmode none; done
ip addr add ${publicAddress}/24 dev outside
ip addr add 2001:db8::1/64 dev outside nodad
ip link set beyond up
ip link set outside up
ip route add default dev outside
ip -6 route add default dev outside
mount --bind "$1/resolv.conf" /etc/resolv.conf
mount --bind "$1/hosts" /etc/hosts
shift
exec "$@"`;

export async function makeNamespace(): Promise<Namespace> {
  await using undo = new AsyncDisposableStack();
  const files = undo.use(await scratchDirectory('names')).path;
  await chmod(files, 0o755);
  await writeFile(join(files, 'resolv.conf'), 'nameserver 127.0.0.1\noptions timeout:1 attempts:1\n');
  const hosts = ['127.0.0.1 localhost', `${internalName.address} ${internalName.name}`];
  await writeFile(join(files, 'hosts'), `${hosts.join('\n')}\n`);
  const unshare = ['--net', '--mount', ...(isRoot ? [] : ['--user', '--map-current-user', '--keep-caps'])];
  const program = [process.execPath, join(import.meta.dirname, 'namespace-agent.ts')];
  const agent = spawn('unshare', [...unshare, 'sh', '-c', setUp, 'sh', files, ...program], {
    env: { ...process.env, PATH: `${process.env['PATH']}:/usr/sbin:/sbin` },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  undo.defer(() => endAgent(agent));
  await answerOf(agent, 0);
  const owned = undo.move();

  let requests = 0;
  let dials = 0;
  const ask = async (make: AgentRequest['make'], port: number, host: string): Promise<unknown> => {
    requests += 1;
    const answered = answerOf(agent, requests);
    agent.send({ id: requests, make, port, host } satisfies AgentRequest);
    return answered;
  };
  const { pid } = agent;
  return {
    enter: ['nsenter', '-t', `${pid}`, '-n', '-m', ...(isRoot ? [] : ['-U', '--preserve-credentials']), '--'],
    listener: (port, host = '127.0.0.1') => ask('listener', port, host) as Promise<Server>,
    connection: (port, host = '127.0.0.1') => {
      dials += 1;
      return ask('connection', port, host) as Promise<Socket>;
    },
    datagrams: (port, host = '127.0.0.1') => ask('datagrams', port, host) as Promise<DatagramSocket>,
    dialled: () => dials,
    traffic: () => readTraffic(`/proc/${pid}/net`),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/** Resolves to the socket that came with the answer. */
function answerOf(agent: ChildProcess, id: number): Promise<unknown> {
  const { promise, resolve, reject } = Promise.withResolvers<unknown>();
  const onMessage = (answer: AgentAnswer, handle: unknown) => {
    if (answer.id !== id) return;
    settle();
    if (answer.error === undefined) resolve(handle);
    else reject(new Error(answer.error));
  };
  const onExit = () => {
    settle();
    reject(new Error('the namespace could not be made, or is gone'));
  };
  const settle = () => agent.off('message', onMessage).off('exit', onExit).off('error', onExit);
  agent.on('message', onMessage).on('exit', onExit).on('error', onExit);
  return promise;
}

async function endAgent(agent: ChildProcess): Promise<void> {
  if (agent.exitCode !== null || agent.signalCode !== null) return;
  const exited = once(agent, 'exit');
  agent.kill('SIGKILL');
  await exited;
}

function readTraffic(directory: string): Traffic {
  const v4 = readFileSync(`${directory}/snmp`, 'utf8');
  const v6 = readFileSync(`${directory}/snmp6`, 'utf8');
  const six = (name: string) => Number(new RegExp(`^${name}\\s+(\\d+)`, 'm').exec(v6)?.[1]);
  return {
    outside: packets(readFileSync(`${directory}/dev`, 'utf8')),
    datagramsSent: counter(v4, 'Udp', 'OutDatagrams') + six('Udp6OutDatagrams'),
    icmpSent: counter(v4, 'Icmp', 'OutMsgs') + six('Icmp6OutMsgs'),
    connectionsOpened: counter(v4, 'Tcp', 'ActiveOpens'), // Counts both families.
    connectionsFailed: counter(v4, 'Tcp', 'AttemptFails'),
  };
}

/** Each protocol has a line of names and, below it, one of values. */
function counter(snmp: string, protocol: string, name: string): number {
  const [names = '', values = ''] = snmp.split('\n').filter((line) => line.startsWith(`${protocol}:`));
  return Number(values.split(' ')[names.split(' ').indexOf(name)]);
}

function packets(table: string): number {
  let sum = 0;
  for (const line of table.trim().split('\n').slice(2)) {
    const [name = '', ...fields] = line.trim().split(/[:\s]+/);
    if (name !== 'lo') sum += Number(fields[1]) + Number(fields[9]);
  }
  return sum;
}
