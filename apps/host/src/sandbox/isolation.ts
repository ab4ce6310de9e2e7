import { closeSync, openSync, readFileSync, readlinkSync, readSync } from 'node:fs';
import type { Isolation } from '@turnpike/contract/isolation';

const namespaces = ['cgroup', 'ipc', 'mnt', 'net', 'pid', 'user', 'uts'];
const maxDeviceBytes = 16 * 1024;
/** The flag of a route that has a gateway (RTF_GATEWAY). */
const gatewayFlag = 2;

/**
 * Reads what the kernel says about a sandbox. The open file keeps the sandbox's network namespace, so its packets can
 * be read when its processes are gone.
 */
export class IsolationReader implements Disposable {
  readonly #devices: number;
  readonly #known: Pick<Isolation, 'namespaces' | 'gatewayRoutes'>;

  /** `pid`: a process in the sandbox. Throws when it is gone. */
  constructor(pid: number) {
    this.#known = {
      namespaces: namespaces.filter((name) => isOwn(pid, name)),
      gatewayRoutes: countGatewayRoutes(readFileSync(`/proc/${pid}/net/route`, 'latin1')),
    };
    this.#devices = openSync(`/proc/${pid}/net/dev`, 'r');
  }

  read(): Isolation {
    const buffer = Buffer.alloc(maxDeviceBytes);
    const length = readSync(this.#devices, buffer, 0, maxDeviceBytes, 0);
    return { ...this.#known, interfaces: parseDevices(buffer.toString('latin1', 0, length)) };
  }

  [Symbol.dispose](): void {
    closeSync(this.#devices);
  }
}

/** Whether a process has a namespace of its own. A host that may not read it does not claim it. */
function isOwn(pid: number, name: string): boolean {
  try {
    return readlinkSync(`/proc/${pid}/ns/${name}`) !== readlinkSync(`/proc/self/ns/${name}`);
  } catch {
    return false;
  }
}

/** Parses `/proc/net/dev`: two lines of headings, then 8 numbers received and 8 sent for each interface. */
export function parseDevices(text: string): Isolation['interfaces'] {
  return text
    .split('\n')
    .slice(2)
    .flatMap((line) => {
      const [name, figures] = line.split(':');
      const numbers = figures?.trim().split(/\s+/).map(Number);
      if (!name || !numbers) return [];
      return [{ name: name.trim(), receivedPackets: numbers[1] ?? 0, sentPackets: numbers[9] ?? 0 }];
    });
}

/** Parses `/proc/net/route`: a line of headings, then a route a line with its flags in hexadecimal in column 4. */
export function countGatewayRoutes(text: string): number {
  const routes = text.split('\n').slice(1);
  return routes.filter((line) => Number.parseInt(line.split('\t')[3] ?? '0', 16) & gatewayFlag).length;
}
