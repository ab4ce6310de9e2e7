// @module-tag slow

import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { startService } from '../fixtures/service/service.ts';
import { watchLeaks } from '../fixtures/suite/leaks.ts';

watchLeaks();

test("a session's metadata says where its proxy comes out, when the operator names a URL to ask", async () => {
  const server = createServer((_request, response) => response.end('81.2.69.142')).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  {
    const env = { TURNPIKE_PROXY_PROBE_URL: `http://127.0.0.1:${port}/`, TURNPIKE_HOST_WARM_HEADLESS: '1' };
    await using service = await startService({ env });
    const account = await service.account();
    const metadata = { mine: 1, turnpike: { exitIp: '1.2.3.4' } };
    const created = await account.create({ headless: true, metadata });
    expect(created.json.metadata).toEqual({
      mine: 1,
      turnpike: {
        host: expect.any(String),
        chromiumVersion: expect.stringMatching(/^\d+\./),
        exitIp: '81.2.69.142',
        exitCountry: 'GB',
      },
    });
  }
  server.close();
  await once(server, 'close');
});
