import { expect, test } from 'vitest';
import { billedFor, call } from '../fixtures/gateway/gateway.ts';
import { scratchDirectory } from '../fixtures/process/scratch-directory.ts';
import { startService } from '../fixtures/service/service.ts';
import { watchLeaks } from '../fixtures/suite/leaks.ts';

watchLeaks();

test('the first start prints a key and a curl line that works; later starts keep the account', async () => {
  await using data = await scratchDirectory('data');
  let sessionId = '';
  {
    const env = { TURNPIKE_HOST_WARM_HEADFUL: '', TURNPIKE_HOST_WARM_HEADLESS: '' };
    await using service = await startService({ dataDirectory: data.path, env });
    const curl = /curl -H 'x-api-key: (\S+)' '(\S+)'/.exec(service.output());
    const opened = await call(curl?.[2] ?? '', { headers: { 'x-api-key': curl?.[1] ?? '' } });
    expect(opened.status).toBe(200);
    sessionId = opened.headers.get('x-session-id') ?? '';
    expect(await service.stop()).toBe(0);
    expect(service.logs()).not.toContain(service.demoKey);
  }
  await using again = await startService({ dataDirectory: data.path });
  expect(again.demoKey).toBe('');
  expect(again.output()).toContain('account rotate-key demo@example.com');
  const { apiKey } = JSON.parse(await again.turnpike('account', 'rotate-key', 'demo@example.com', '--json'));
  const answer = await call(`${again.gatewayUrl}/user/api/sessions`, { headers: { 'x-api-key': apiKey } });
  // SIGTERM closed and billed the browser that was running.
  const [{ durationSeconds }] = answer.json.sessions;
  const closed = { browserId: sessionId, status: 'CLOSED', endReason: 'host_stopped' };
  expect(answer.json.sessions).toMatchObject([{ ...closed, billedSeconds: billedFor(durationSeconds) }]);
});

test('SIGTERM lets the answer in flight finish, refuses new creates, and closes every browser', {
  tags: 'slow',
}, async () => {
  await using service = await startService();
  const account = await service.account();
  const inFlight = account.connect({ headless: 'true' });
  await expect.poll(async () => (await account.get('/user/api/limits')).json.remaining).toBe(4);
  const stopped = service.stop();
  const answer = await inFlight;
  expect([200, 503]).toContain(answer.status);
  expect(await stopped).toBe(0);
});

test('after SIGKILL nothing of a browser is left, and the next start finds its session DEAD', {
  tags: 'slow',
}, async () => {
  await using data = await scratchDirectory('data');
  await using service = await startService({
    dataDirectory: data.path,
    env: { TURNPIKE_HOST_NAME: 'host-1' },
  });
  const account = await service.account();
  const opened = await account.connect({ headless: 'true' });
  expect(opened.status).toBe(200);
  service.process.kill('SIGKILL');
  await service.stop();

  await using next = await startService({
    dataDirectory: data.path,
    env: { TURNPIKE_HOST_NAME: 'host-1' },
  });
  const headers = { 'x-api-key': account.key };
  const { json } = await call(`${next.gatewayUrl}/user/api/sessions`, { headers });
  const [{ durationSeconds }] = json.sessions;
  expect(json.sessions).toMatchObject([{ status: 'DEAD', billedSeconds: billedFor(durationSeconds) }]);
  expect((await call(`${next.gatewayUrl}/user/api/limits`, { headers })).json).toMatchObject({
    active: 0,
    remaining: 5,
  });
});
