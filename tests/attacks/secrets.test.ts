import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { watchLeaks } from '../fixtures/suite/leaks.ts';
import { describeEach, testEach } from '../fixtures/suite/matrix.ts';
import type { RawCdp, RawPage } from './cdp.ts';
import { AttackHarness, type Session } from './harness.ts';
import { modes } from './modes.ts';
import { distantAddress, internalName } from './namespace.ts';

watchLeaks({ wholeFile: true });

let harness: AttackHarness;
let otherSession: Session;
let otherClient: RawCdp;
let otherPage: RawPage;

beforeAll(async () => {
  harness = await AttackHarness.open();
  harness.proxy.page('/', '<!doctype html><title>attack</title>');
  otherSession = await harness.session({ headless: 'true' });
  otherClient = await harness.attack(otherSession);
  otherPage = await otherClient.page('http://localhost/');
});
afterEach(() => harness.expectSealed());
afterAll(() => harness[Symbol.asyncDispose]());

describeEach(modes)('a $name browser', ({ headless }) => {
  let client: RawCdp;
  let page: RawPage;

  beforeAll(async () => {
    const session = await harness.session({ headless });
    client = await harness.attack(session);
    page = await client.page('http://localhost/');
  });

  test('has no secret on its chrome:// pages', { tags: 'slow' }, async () => {
    const names = 'version settings downloads inspect gpu net-export net-internals policy sandbox system';
    const more =
      'process-internals histograms crashes flags local-state device-log webrtc-internals discards';
    const queue = `${names} ${more}`.split(' ').values();
    const seen: Record<string, string> = {};
    const visit = async () => {
      const attacker = await client.page();
      for (const name of queue) {
        if ((await attacker.go(`chrome://${name}`)) === '') seen[name] = await attacker.text();
      }
      await attacker.close();
    };
    await Promise.all([visit(), visit(), visit(), visit()]);
    // The pages were there to be read.
    expect(seen['version']).toContain('--proxy-server=http://127.0.0.1:3128');
    expect(seen['gpu']).toBeDefined();
  });

  test('has no secret in its command line, processes, environment, traces or heap', async () => {
    const { commandLine } = await client.call('SystemInfo.getInfo');
    expect(commandLine).toContain('--remote-debugging-pipe');
    const attacker = await client.page();
    for (const from of [client, page]) {
      await from.send('SystemInfo.getProcessInfo');
      await from.send('Browser.getBrowserCommandLine');
      await from.send('Browser.getVersion');
      await from.send('Target.getTargets');
      await from.send('Browser.getHistograms');
      await from.send('Storage.getCookies');
      await from.send('Memory.getAllTimeSamplingProfile');
      await from.send('Memory.getBrowserSamplingProfile');
    }
    for (const file of [
      'environ',
      'cmdline',
      'mountinfo',
      'status',
      'maps',
      'net/tcp',
      'net/unix',
      'net/route',
      'cgroup',
    ]) {
      for (const who of ['self', '1', '2']) {
        await attacker.go(`file:///proc/${who}/${file}`);
        await attacker.text();
      }
    }
    await client.send('Tracing.start', {
      transferMode: 'ReportEvents',
      categories: '*,disabled-by-default-netlog,netlog',
    });
    await page.go('http://localhost/');
    const complete = client.event(({ method }) => method === 'Tracing.tracingComplete');
    await client.send('Tracing.end');
    await complete;
    await page.send('HeapProfiler.takeHeapSnapshot');
    await attacker.close();
  });

  test('is not shown the proxy’s credentials in headers, challenges or error pages', async () => {
    await page.send('Network.enable');
    await page.send('Fetch.enable', { handleAuthRequests: true });
    const go = page.go('http://refused.test/');
    const paused = await client.event(({ method }) => method === 'Fetch.requestPaused');
    await page.send('Fetch.continueRequest', { requestId: paused?.params.requestId });
    await go;
    await page.send('Fetch.disable');
    const headers = client.events.filter(
      ({ method }) => method.startsWith('Network.') && method.endsWith('ExtraInfo'),
    );
    expect(headers.length).toBeGreaterThan(0);
    expect(JSON.stringify(headers)).not.toMatch(/proxy-auth/i);
    expect(client.events.some(({ method }) => method === 'Fetch.authRequired')).toBe(false);
    await page.text();
    await page.send('Network.disable');
    await page.go('http://localhost/');
  });

  test('cannot touch another session by its targets, sessions or frames', async () => {
    const { targetId, sessionId } = otherPage;
    for (const [method, params] of [
      ['Target.attachToTarget', { targetId, flatten: true }],
      ['Target.getTargetInfo', { targetId }],
      ['Target.activateTarget', { targetId }],
      ['Target.closeTarget', { targetId }],
      ['Target.exposeDevToolsProtocol', { targetId }],
      ['Target.detachFromTarget', { sessionId }],
      ['Target.sendMessageToTarget', { sessionId, message: '{"id":1,"method":"Page.close"}' }],
      ['Target.sendMessageToTarget', { targetId, message: '{"id":1,"method":"Page.close"}' }],
    ] as const) {
      expect([method, (await client.send(method, params)).error]).toEqual([method, expect.anything()]);
    }
    for (const method of ['Runtime.evaluate', 'Page.navigate', 'Page.close']) {
      const { error } = await client.send(method, { expression: '1', url: 'about:blank' }, sessionId);
      expect(error).toBeDefined();
    }
    const { result } = await client.send('Target.getTargets');
    expect(JSON.stringify(result)).not.toContain(targetId);
    expect(await otherPage.run('document.title')).toBe('attack');
  });

  test('crashes alone, however it is told to, and its session ends as DEAD', async () => {
    await page.send('Browser.executeBrowserCommand', { commandId: 'openTabSearch' });
    await client.send('Browser.crashGpuProcess');
    const attacker = await client.page('http://localhost/');
    void attacker.send('Page.crash');
    expect(await client.event(({ method }) => method === 'Inspector.targetCrashed')).toBeDefined();
    void client.send('Browser.crash');
    expect(await client.closed).toBe(4002);
    expect(await otherPage.run('document.title')).toBe('attack');
  });
});

testEach<'socks5' | 'socks5h'>({ quick: ['socks5'], slow: ['socks5h'] })(
  'a customer’s %s proxy is sent names as they are: none is looked up on the host, and what they mean there is not told',
  async (scheme) => {
    const socks = await harness.addSocksProxy();
    const client = await harness.attack(
      await harness.session({ headless: 'true', proxy: socks.url(scheme) }),
    );
    const page = await client.page();
    const names = [internalName.name, 'navigate.canary.test'];
    // That a question went to a name server would show after the test, as a datagram that was sent.
    for (const name of names) {
      for (const protocol of ['http', 'https']) await page.go(`${protocol}://${name}/`);
    }
    await page.go(`http://${distantAddress}/`);
    expect(new Set(socks.asked)).toEqual(
      new Set([...names.flatMap((name) => [`${name}:80`, `${name}:443`]), `${distantAddress}:80`]),
    );
  },
);
