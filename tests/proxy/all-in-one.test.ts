import { expect, test } from 'vitest';
import { RawClient } from '../fixtures/network/raw-sockets.ts';
import { startWebServer } from '../fixtures/network/web-server.ts';
import { startService } from '../fixtures/service/service.ts';
import { watchLeaks } from '../fixtures/suite/leaks.ts';

watchLeaks();

test('the all-in-one’s metered proxy reaches nothing on this machine until the operator allows it', async () => {
  await using web = await startWebServer();
  await using service = await startService({ env: { TURNPIKE_PROXY_TARGET_ALLOW: '' } });
  const { username, password, port } = new URL(service.demoProxyUrl);
  const login = `Host: x\r\nProxy-Authorization: Basic ${btoa(`${username}:${password}`)}\r\n`;
  const targets = [`127.0.0.1:${web.port}`, `localhost:${web.port}`, `[::1]:${web.port}`, '127.0.0.1:5432'];
  for (const target of targets) {
    using post = await RawClient.connect(Number(port));
    post.send(`POST http://${target}/ HTTP/1.1\r\n${login}Content-Length: 2\r\n\r\nok`);
    const page = await post.untilClosed();
    expect(page).toMatch(/^HTTP\/1\.1 403 Forbidden\r\n/);
    expect(page).toContain('TURNPIKE_PROXY_TARGET_ALLOW');
    using tunnel = await RawClient.connect(Number(port));
    tunnel.send(`CONNECT ${target} HTTP/1.1\r\n${login}\r\n`);
    expect(await tunnel.untilClosed()).toMatch(/^HTTP\/1\.1 403 /);
  }
  expect(web.requests).toEqual([]);
});
