import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import { SettingError } from '@turnpike/process/settings';
import { within } from '@turnpike/process/within';
import ipaddr from 'ipaddr.js';

/**
 * Keeps connections for customers (to their proxies, targets and webhooks) out of our own network. Only globally
 * routable unicast addresses that are not this machine's own are allowed, and the exceptions that the operator lists.
 */
export interface AddressGuard {
  /**
   * Resolves a name or literal and checks all its addresses. Refuses it if one of them is not allowed. The port
   * matters for exceptions that name one.
   */
  resolve(host: string, signal: AbortSignal, port?: number): Promise<Resolution>;
}

export type Resolution =
  | { ok: true; addresses: string[] }
  | { ok: false; reason: 'not-allowed' | 'not-found' };

type Address = ipaddr.IPv4 | ipaddr.IPv6;
type Subnet = [Address, number];

/** An allowed address or name, for one port or for all. */
interface Exception {
  name?: string;
  subnet?: Subnet;
  port: number | undefined;
}

interface GuardOptions {
  /** Whether an exception may name a port. */
  ports?: boolean;
  /** The addresses of this machine. */
  ownAddresses?: () => ReadonlySet<string>;
}

/**
 * Exceptions are host names and CIDRs (or single addresses), separated by commas. With `ports` each may name one:
 * `hooks.internal:8443`, `10.0.0.0/8:443`, `[fd00::/8]:443`.
 */
export function createAddressGuard(
  exceptions: string,
  settingName: string,
  { ports = false, ownAddresses = addressesOfMachine() }: GuardOptions = {},
): AddressGuard {
  const entries = parseExceptions(exceptions, settingName, ports);
  return {
    async resolve(host, signal, port) {
      const addresses = isIP(host) ? [host] : await lookUp(host, signal);
      if (addresses.length === 0) return { ok: false, reason: 'not-found' };
      const open = entries.filter((entry) => entry.port === undefined || entry.port === port);
      const subnets = open.flatMap(({ subnet }) => (subnet ? [subnet] : []));
      const isAllowed =
        open.some(({ name }) => name === host) ||
        addresses.every((address) => isAllowedAddress(address, subnets, ownAddresses()));
      return isAllowed ? { ok: true, addresses } : { ok: false, reason: 'not-allowed' };
    },
  };
}

/**
 * Says whether an address is a public one of this machine that the operator does not list. A host asks before it dials:
 * gateways know their own machine only. Non-public addresses are theirs to judge.
 */
export function createOwnAddressCheck(
  exceptions: string,
  settingName: string,
  ownAddresses = addressesOfMachine(),
): (name: string, address: string) => boolean {
  const entries = parseExceptions(exceptions, settingName, false);
  const names = new Set(entries.map(({ name }) => name));
  const subnets = entries.flatMap(({ subnet }) => (subnet ? [subnet] : []));
  return (name, address) =>
    isIP(address) !== 0 &&
    !names.has(name) &&
    isAllowedAddress(address) &&
    !isAllowedAddress(address, subnets, ownAddresses());
}

function parseExceptions(exceptions: string, settingName: string, ports: boolean): Exception[] {
  return exceptions
    .split(',')
    .map((part) => part.trim().toLowerCase())
    .filter(Boolean)
    .map((entry) => parseException(entry, ports) ?? invalidException(settingName, entry, ports));
}

function invalidException(settingName: string, entry: string, ports: boolean): never {
  const what = ports ? 'host names and CIDRs, each with a port or without' : 'host names and CIDRs';
  throw new SettingError(settingName, `must list ${what}. ${JSON.stringify(entry)} is neither`);
}

function parseException(entry: string, ports: boolean): Exception | undefined {
  const bracketed = /^\[([^\]]+)\](?::(\d{1,5}))?$/.exec(entry);
  const [, host = entry, portText] = ports
    ? (bracketed ?? /^([^:]+):(\d{1,5})$/.exec(entry) ?? [entry, entry])
    : [entry, entry];
  const port = portText === undefined ? undefined : Number(portText);
  if (port !== undefined && (port < 1 || port > 65_535)) return undefined;
  const subnet = parseSubnet(host);
  if (subnet) return { subnet, port };
  const isName = /^[a-z0-9_.-]+$/.test(host) && /[a-z_-]/.test(host);
  return isName ? { name: host, port } : undefined;
}

function parseSubnet(entry: string): Subnet | undefined {
  const [address = '', bits] = entry.split('/');
  if (!isIP(address)) return undefined;
  const parsed = ipaddr.parse(address);
  const width = parsed.kind() === 'ipv4' ? 32 : 128;
  const prefix = bits === undefined ? width : Number(bits);
  return /^\d{1,3}$/.test(bits ?? '0') && prefix <= width ? [parsed, prefix] : undefined;
}

const globalUnicastV6: [ipaddr.IPv6, number] = [ipaddr.IPv6.parse('2000::'), 3];

/**
 * Serves every machine of a cloud its credentials, from an address that looks public (Azure). The others' are in ranges
 * that are refused: 169.254.169.254, 100.100.100.200, 192.0.0.192, fd00:ec2::254, fd20:ce::254.
 */
const cloudAddresses: ReadonlySet<string> = new Set(['168.63.129.16']);

export function isAllowedAddress(
  text: string,
  exceptions: readonly Subnet[] = [],
  ownAddresses: ReadonlySet<string> = new Set(),
): boolean {
  const address = ipaddr.parse(text);
  if (exceptions.some((subnet) => matches(address, subnet))) return true;
  // Refuses mapped, translated and tunnelled addresses (::ffff:0:0/96, 64:ff9b::/96, 2002::/16, …), which have
  // ranges of their own, without looking at the address inside.
  if (address.range() !== 'unicast') return false;
  const normal = address.toString();
  if (cloudAddresses.has(normal) || ownAddresses.has(normal)) return false;
  return address.kind() === 'ipv4' || (address as ipaddr.IPv6).match(globalUnicastV6);
}

function matches(address: Address, [net, bits]: Subnet): boolean {
  return address.kind() === net.kind() && address.match(net as never, bits);
}

/** An address that is added to the machine is known after this time. */
const ownAddressesMs = 10_000;

/** Reads the addresses of this machine's network interfaces, now and then. */
function addressesOfMachine(): () => ReadonlySet<string> {
  let addresses: ReadonlySet<string> = new Set();
  let readAt = Number.NEGATIVE_INFINITY;
  return () => {
    if (performance.now() - readAt >= ownAddressesMs) {
      const all = Object.values(networkInterfaces()).flatMap((interfaces) => interfaces ?? []);
      addresses = new Set(all.map(({ address }) => ipaddr.parse(address).toString()));
      readAt = performance.now();
    }
    return addresses;
  };
}

const lookupTimeoutMs = 5000;

/** Uses the system's resolver, including the hosts file. It cannot be cancelled, so a timeout only stops the wait. */
async function lookUp(host: string, signal: AbortSignal): Promise<string[]> {
  const { promise: givenUp, resolve: giveUp } = Promise.withResolvers<string[]>();
  using bounds = within(lookupTimeoutMs, signal);
  bounds.signal.addEventListener('abort', () => giveUp([]), { once: true });
  const answers = lookup(host, { all: true }).then(
    (found) => found.map(({ address }) => address),
    () => [],
  );
  const addresses = await Promise.race([answers, givenUp]);
  signal.throwIfAborted();
  return addresses;
}
