// @module-tag slow
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { watchLeaks } from '../fixtures/suite/leaks.ts';
import { AttackHarness, type HttpAnswer, type Session } from './harness.ts';
import { distantAddress, metadataAddress, publicAddress } from './namespace.ts';

/** Scripts at `/function` that look for a way out of the session's sandbox. */

watchLeaks({ wholeFile: true });

let harness: AttackHarness;
let other: Session;
const answers: HttpAnswer[] = [];

beforeAll(async () => {
  harness = await AttackHarness.open();
  other = await harness.session({ headless: 'true' });
});
afterEach(async () => {
  await harness.expectSealed();
  const texts = answers.splice(0).map(({ text }) => text);
  const shown = Object.entries(harness.secrets).filter(([, secret]) =>
    texts.some((text) => text.includes(secret)),
  );
  expect(shown.map(([what]) => what)).toEqual([]);
});
afterAll(() => harness[Symbol.asyncDispose]());

/** Runs the body of a function. What it returns is JSON. */
async function run(body: string, context: object = {}): Promise<HttpAnswer> {
  const query = new URLSearchParams({ token: harness.service.demoKey, proxy: harness.proxy.url });
  const code = `import fs from 'node:fs'; import net from 'node:net'; import dgram from 'node:dgram';
    import dns from 'node:dns/promises'; import { execFileSync, spawnSync } from 'node:child_process';
    export default async ({ page, context }) => { ${body} };`;
  const text = JSON.stringify({ code, context });
  const answer = await harness.request(`${harness.service.gatewayUrl}/function?${query}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) },
    body: text,
  });
  answers.push(answer);
  return answer;
}

async function ran(body: string, context?: object) {
  const { status, text } = await run(body, context);
  if (status !== 200) throw new Error(`${status} ${text}`);
  return JSON.parse(text);
}

test("a script reads no file of the host's, and none of another session's", async () => {
  await harness.request(`${other.url.replace('ws', 'http')}/files/secret.txt`, {
    method: 'PUT',
    headers: { 'content-length': harness.canaryText.length },
    body: harness.canaryText,
  });
  const paths = [
    '/etc/passwd',
    '/etc/shadow',
    '/home/user/files/secret.txt',
    harness.canaryFile,
    `/proc/1/root${harness.canaryFile}`,
    `/proc/self/root${harness.canaryFile}`,
    `/proc/self/cwd/../../..${harness.canaryFile}`,
  ];
  const read = await ran(
    `const found = {};
    const look = (name, work) => { try { found[name] = String(work()); } catch (error) { found[name] = error.code; } };
    for (const path of context.paths) {
      look(path, () => fs.readFileSync(path));
      look('sh ' + path, () => execFileSync('/bin/sh', ['-c', 'cat "$1"', 'sh', path], { stdio: 'pipe' }));
    }
    for (const pid of fs.readdirSync('/proc').filter((name) => /^\\d+$/.test(name)))
      for (const file of ['environ', 'cmdline', 'maps', 'mountinfo'])
        look(pid + file, () => fs.readFileSync('/proc/' + pid + '/' + file));
    for (const directory of ['/', '/home', '/root', '/tmp', '/var', '/run', '/srv', '/mnt'])
      look(directory, () => fs.readdirSync(directory));
    look('written', () => fs.writeFileSync(context.directory + '/written', 'x'));
    look('remounted', () => execFileSync('/bin/sh', ['-c', 'mount -t proc proc /mnt || unshare -Urm true'], { stdio: 'pipe' }));
    fs.writeFileSync('/home/user/tmp/own', 'own');
    look('own', () => fs.readFileSync('/home/user/tmp/own'));
    return found;`,
    { paths, directory: harness.canaryDirectory },
  );
  // What is in the session can be read: else the above would prove nothing.
  expect(read.own).toBe('own');
});

test("a script reaches nothing but the customer's proxy", async () => {
  harness.proxy.page('/there', 'by the proxy');
  const hosts = ['127.0.0.1', '::1', 'localhost', publicAddress, metadataAddress, distantAddress, '0.0.0.0'];
  const found = await ran(
    `const found = {};
    const ports = [53, 80, 443, 1080, 5432, 9222, 9229];
    await Promise.all(context.hosts.flatMap((host) => ports.map((port) => new Promise((done) => {
      const socket = net.connect({ host, port, timeout: 1000 });
      socket.on('connect', () => { found[host + ':' + port] = true; socket.destroy(); });
      socket.on('error', () => socket.destroy()).on('timeout', () => socket.destroy()).on('close', done);
    }))));
    for (const host of context.hosts) {
      const socket = dgram.createSocket(host.includes('::') ? 'udp6' : 'udp4');
      await new Promise((done) => socket.send('x', 53, host, () => socket.close(done)));
    }
    await Promise.allSettled([dns.resolve('example.com'), dns.lookup('example.com')]);
    for (const path of ['\\0/tmp/.X11-unix/X0', '/run/dbus/system_bus_socket', '/var/run/docker.sock'])
      await new Promise((done) => net.connect(path).on('connect', () => { found[path] = true; done(); }).on('error', done));
    spawnSync('/bin/sh', ['-c', 'unset http_proxy; curl -m 2 http://' + context.hosts[3] + ':80/; curl -m 2 http://127.0.0.1:5432/']);
    await page.goto('http://localhost/there');
    found.there = await page.evaluate(() => document.body.textContent);
    return found;`,
    { hosts },
  );
  expect(found).toEqual({ there: 'by the proxy' });
});

test('a script that ends every process that it can ends its own session only', async () => {
  const { status, text } = await run(
    `for (let pid = 1; pid < 4000; pid += 1) { try { if (pid !== process.pid) process.kill(pid, 'SIGKILL'); } catch {} }
    return 'alive';`,
  );
  expect([status, text]).toEqual([expect.any(Number), expect.any(String)]);
  const client = await harness.attack(other);
  await client.close();
  expect(await ran('return { here: true }')).toEqual({ here: true });
});
