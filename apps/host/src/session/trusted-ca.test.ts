import { readFile } from 'node:fs/promises';
import { chromium, type Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { makeCertificates } from '../../../../tests/fixtures/network/certificates.ts';
import { startCountingProxy } from '../../../../tests/fixtures/network/counting-proxy.ts';
import { scratchDirectory } from '../../../../tests/fixtures/process/scratch-directory.ts';
import { watchLeaks } from '../../../../tests/fixtures/suite/leaks.ts';
import { newRequest, startTestHost } from '../testing/test-host.ts';

watchLeaks();

test('a browser trusts the authorities of its session’s proxy, and no other browser does', {
  tags: 'slow',
}, async () => {
  await using scratch = await scratchDirectory('trusted-ca');
  const { caFile, certFile, keyFile } = await makeCertificates(scratch.path);
  const ca = await readFile(caFile, 'utf8');
  // As a proxy that opens TLS: every site has its certificate, which is for localhost.
  await using proxy = await startCountingProxy({
    cert: await readFile(certFile),
    key: await readFile(keyFile),
  });
  const upstream = { scheme: 'http', host: '127.0.0.1', port: proxy.port, addresses: ['127.0.0.1'] } as const;
  await using host = await startTestHost({ warm: { headful: 0, headless: 1 } });
  const load = async (more: object, headless = true) => {
    const session = await host.open(newRequest({ ...upstream, ...more }, { headless }));
    const browser = await chromium.connectOverCDP(session.url);
    const page = (await browser.contexts()[0]?.newPage()) as Page;
    const outcome = await page.goto('https://localhost/').then(
      () => page.title(),
      (error: Error) => /ERR_\w+/.exec(error.message)?.[0],
    );
    await browser.close();
    await host.host.close(session.sessionId);
    return outcome;
  };
  expect(await load({ ca, trustCa: true })).toBe('site');
  expect(await load({ ca, trustCa: true }, false)).toBe('site');
  expect(await load({ ca })).toBe('ERR_CERT_AUTHORITY_INVALID');
  expect(await load({})).toBe('ERR_CERT_AUTHORITY_INVALID');
});
