import { existsSync, readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { descendsFrom, processTable } from '../fixtures/process/process-table.ts';
import { watchLeaks } from '../fixtures/suite/leaks.ts';
import { AttackHarness } from './harness.ts';

watchLeaks({ wholeFile: true });

const isRoot = process.getuid?.() === 0;
const kinds = ['user', 'mnt', 'pid', 'ipc', 'uts', 'net'];

/** The processes of one session, as the host sees them; all but bubblewrap's outer one are inside. */
interface Inside {
  browser: number;
  renderers: number[];
  all: number[];
}

let harness: AttackHarness;
let headless: Inside;
let headful: Inside;

beforeAll(async () => {
  harness = await AttackHarness.open();
  harness.proxy.page('/', '<!doctype html><title>attack</title>');
  headless = await inside('true');
  headful = await inside('false');
});
afterEach(() => harness.expectSealed());
afterAll(() => harness[Symbol.asyncDispose]());

/** Which processes are a session's cannot be told from outside, so its browser leaves a mark in its own home. */
async function inside(headlessness: string): Promise<Inside> {
  const client = await harness.attack(await harness.session({ headless: headlessness }));
  const page = await client.page('http://localhost/');
  const mark = `mark-${headlessness}.txt`;
  await client.call('Browser.setDownloadBehavior', { behavior: 'allow', downloadPath: '/home/user/files' });
  await page.run(`Object.assign(document.createElement('a'), { download: '${mark}',
    href: URL.createObjectURL(new Blob(['x'])) }).click()`);
  const type = (pid: number) => /--type=([a-z-]+)/.exec(read(pid, 'cmdline'))?.[1];
  const isBrowser = (pid: number) => /^chrom/.test(read(pid, 'comm')) && type(pid) === undefined;
  const marked = () =>
    running().find((pid) => isBrowser(pid) && existsSync(`/proc/${pid}/root/home/user/files/${mark}`));
  await vi.waitFor(() => expect(marked()).toBeDefined(), { timeout: 60_000 });
  const browser = marked() ?? 0;
  const table = processTable();
  const all = running().filter((pid) => pid === browser || descendsFrom(table, pid, first(table, browser)));
  return { all, browser, renderers: all.filter((pid) => type(pid) === 'renderer') };
}

/** The sandbox's process number 1: the last in the chain of parents that the host does not share a namespace with. */
function first(table: ReturnType<typeof processTable>, pid: number): number {
  const parent = table.get(pid)?.parent ?? 0;
  return namespaceOf(parent, 'pid') === namespaceOf('self', 'pid') ? pid : first(table, parent);
}

function running(): number[] {
  const table = processTable();
  const service = harness.service.process.pid ?? 0;
  return [...table.keys()].filter((pid) => descendsFrom(table, pid, service));
}

function read(pid: number | string, name: string): string {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'utf8').replaceAll('\0', ' ');
  } catch {
    return '';
  }
}

function status(pid: number, name: string): string {
  return new RegExp(`^${name}:[ \\t]*(.*)$`, 'm').exec(read(pid, 'status'))?.[1] ?? '';
}

function namespaceOf(pid: number | string, kind: string): string {
  try {
    return readlinkSync(`/proc/${pid}/ns/${kind}`);
  } catch {
    return 'gone';
  }
}

/** Mount points that can be written to, with the kind of file system and its options. */
function writable(pid: number): [string, string, string][] {
  return read(pid, 'mountinfo')
    .trim()
    .split('\n')
    .map((line) => line.split(' '))
    .filter((fields) => fields[5]?.split(',').includes('rw'))
    .map((fields) => [fields[4] ?? '', fields[fields.indexOf('-') + 1] ?? '', fields.at(-1) ?? '']);
}

describe.each([
  ['headless', () => headless],
  ['headful', () => headful],
])('a %s session', (_name, session) => {
  test('has namespaces of its own, of every kind', () => {
    const { browser } = session();
    const other = session() === headless ? headful : headless;
    for (const kind of kinds) {
      const own = namespaceOf(browser, kind);
      expect([kind, own]).toEqual([kind, expect.stringMatching(/\d/)]);
      expect([kind, own]).not.toEqual([kind, namespaceOf(harness.service.process.pid ?? 0, kind)]);
      expect([kind, own]).not.toEqual([kind, namespaceOf('self', kind)]);
      expect([kind, own]).not.toEqual([kind, namespaceOf(other.browser, kind)]);
    }
  });

  test('has a network of its own that no route leads out of', () => {
    const { browser } = session();
    const interfaces = read(browser, 'net/dev').trim().split('\n').slice(2);
    // The two are the ends of one pair: what is sent into one comes out of the other.
    expect(interfaces.map((line) => line.trim().split(':')[0]).sort()).toEqual(['eth0', 'eth1', 'lo']);
    const routes = read(browser, 'net/route').trim().split('\n').slice(1);
    // None has a gateway. That to 8.8.8.8 lets WebRTC find an address, and leads into the pair too.
    expect(routes.map((line) => line.split('\t').slice(0, 3)).sort()).toEqual([
      ['eth0', '0001A8C0', '00000000'],
      ['eth0', '08080808', '00000000'],
    ]);
    // One listener, the forwarder's, at all addresses of this network, and no DevTools port.
    const listeners = [...read(browser, 'net/tcp').matchAll(/: (\w+:\w+) 00000000:0000 0A/g)];
    expect(listeners.map(([, address]) => address)).toEqual(['00000000:0C38']);
    expect(read(browser, 'net/tcp6').trim().split('\n')).toHaveLength(1);
  });

  test.runIf(isRoot)('has a user id of its own that owns nothing else', () => {
    const ids = (pid: number) => [
      ...new Set(status(pid, 'Uid').split('\t').concat(status(pid, 'Gid').split('\t'))),
    ];
    const own = ids(session().browser);
    expect(own).toHaveLength(1);
    expect(Number(own[0])).toBeGreaterThanOrEqual(1000);
    const other = session() === headless ? headful : headless;
    expect(ids(other.browser)).not.toEqual(own);
    expect(
      session()
        .all.flatMap((pid) => ids(pid))
        .filter((id) => id !== own[0]),
    ).toEqual([]);
    expect(status(session().browser, 'Groups').trim()).toBe('');
  });

  test('can gain no privilege, and its renderers are in Chromium’s own sandbox', () => {
    const { browser, renderers, all } = session();
    for (const pid of all) expect([pid, status(pid, 'NoNewPrivs')]).toEqual([pid, '1']);
    for (const set of ['CapEff', 'CapPrm', 'CapInh', 'CapAmb']) {
      expect([set, status(browser, set)]).toEqual([set, '0000000000000000']);
    }
    expect(renderers.length).toBeGreaterThan(0);
    for (const pid of renderers) {
      expect([pid, status(pid, 'Seccomp'), status(pid, 'CapEff')]).toEqual([pid, '2', '0000000000000000']);
      expect(namespaceOf(pid, 'net')).not.toBe(namespaceOf(browser, 'net'));
    }
  });

  test('holds no descriptor of the host: pipes, sockets and its own files', () => {
    const { browser, all } = session();
    const device = (path: string) => statSync(path, { bigint: true }).dev;
    const own = new Set(['/home/user', '/dev/shm'].map((path) => device(`/proc/${browser}/root${path}`)));
    for (const pid of all) {
      for (const descriptor of descriptors(pid)) {
        const path = `/proc/${pid}/fd/${descriptor}`;
        const target = link(path);
        if (target === '' || /^(pipe|socket|anon_inode|\/memfd|\/dev\/(null|urandom|zero|full))/.test(target))
          continue;
        if (/^\/(proc|usr|var\/cache\/fontconfig|etc\/fonts)(\/|$)/.test(target)) continue;
        // The program of workers, which the shell that starts them has: a file, so nothing is below or above it.
        if (target.endsWith('/bin/node') && read(pid, 'cmdline').startsWith('/bin/sh')) continue;
        expect([target, own.has(device(path))]).toEqual([target, true]);
      }
    }
  });

  test('has a clean environment, and no secret in a command line', () => {
    for (const pid of session().all) {
      const texts = `${read(pid, 'environ')} ${read(pid, 'cmdline')}`;
      for (const [what, secret] of Object.entries(harness.secrets)) {
        expect([pid, texts.includes(secret) ? what : '']).toEqual([pid, '']);
      }
      expect(texts).not.toMatch(/TURNPIKE_|NODE_OPTIONS|DATABASE_URL|SUDO_|SSH_/);
    }
    expect(read(session().browser, 'cmdline')).not.toMatch(
      /--no-sandbox|--disable-setuid-sandbox|--single-process/,
    );
  });

  test('can write to its own memory-backed scratch and nowhere else', () => {
    const { browser } = session();
    const mounts = writable(browser).filter(([path]) => !/^\/(proc|dev\/(?!shm).*)$/.test(path)); // Devices.
    for (const [path, type, options] of mounts) {
      expect([path, type, options]).toEqual([path, 'tmpfs', expect.stringContaining('size=')]);
    }
    expect(mounts.map(([path]) => path).sort()).toEqual(['/dev/shm', '/home/user']);
    expect(statSync(`/proc/${browser}/root/home/user`).uid).toBe(
      Number(status(browser, 'Uid').split('\t')[0]),
    );
  });

  test('sees its own processes in /proc, and no other', () => {
    const { browser, all } = session();
    const seen = readdirSync(`/proc/${browser}/root/proc`).filter((name) => /^\d+$/.test(name));
    expect(seen.length).toBeLessThanOrEqual(all.length + 5);
    expect(seen).toContain('1');
    expect(seen).not.toContain(String(harness.service.process.pid));
  });
});

function descriptors(pid: number): string[] {
  try {
    return readdirSync(`/proc/${pid}/fd`);
  } catch {
    return []; // Gone in the meantime.
  }
}

function link(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
}
