import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import tls from 'node:tls';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { issueCertificate, makeCertificates } from '../../../tests/fixtures/network/certificates.ts';
import { scratchDirectory } from '../../../tests/fixtures/process/scratch-directory.ts';
import { watchLeaks } from '../../../tests/fixtures/suite/leaks.ts';
import { Upstream } from './upstream.ts';

watchLeaks();

const all = new AsyncDisposableStack();
let ca: string;
let otherCa: string;
let clientCertificate: { certificate: string; key: string };
let port: number;

/** A proxy that takes only clients with a certificate of its own authority. */
beforeAll(async () => {
  const { path } = all.use(await scratchDirectory('dial'));
  const other = all.use(await scratchDirectory('dial-other'));
  const own = await makeCertificates(path);
  const client = await issueCertificate(path, 'client', ['extendedKeyUsage=clientAuth']);
  const read = (file: string) => readFile(file, 'utf8');
  ca = await read(own.caFile);
  otherCa = await read((await makeCertificates(other.path)).caFile);
  clientCertificate = { certificate: await read(client.certFile), key: await read(client.keyFile) };
  const server = tls.createServer({
    cert: await read(own.certFile),
    key: await read(own.keyFile),
    ca,
    requestCert: true,
    rejectUnauthorized: true,
  });
  server.on('secureConnection', (socket) => {
    socket.on('error', () => {});
    socket.once('data', () => socket.end('HTTP/1.1 502 No\r\nContent-Length: 0\r\n\r\n'));
  });
  server.on('tlsClientError', () => {});
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  port = (server.address() as AddressInfo).port;
  all.defer(async () => {
    server.close();
    await once(server, 'close');
  });
});
afterAll(() => all.disposeAsync());

async function check(more: object): Promise<void> {
  const upstream = new Upstream(
    { scheme: 'https', host: 'localhost', port, addresses: ['127.0.0.1'], ...more },
    20_000,
  );
  await upstream.check(new AbortController().signal).finally(() => upstream.close());
}

test('a proxy has a certificate of the authorities that were named, and is shown the client’s', async () => {
  await check({ ca, clientCertificate });
  await expect(check({ clientCertificate })).rejects.toThrow('failed the TLS handshake');
  await expect(check({ ca: otherCa, clientCertificate })).rejects.toThrow('failed the TLS handshake');
  await expect(check({ ca })).rejects.toThrow();
});

test('certificates that cannot be read are said to be so', async () => {
  const broken = { certificate: 'no', key: 'no' };
  await expect(check({ ca, clientCertificate: broken })).rejects.toThrow('its certificates cannot be read');
});
