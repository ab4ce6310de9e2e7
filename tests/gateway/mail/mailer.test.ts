import type { AddressInfo } from 'node:net';
import { createServer, type Server, type Socket } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { Mailer } from '../../../apps/gateway/src/mail/mailer.ts';
import { MailServer, smtpPassword } from '../../fixtures/receivers/mail-server.ts';
import { watchLeaks } from '../../fixtures/suite/leaks.ts';

watchLeaks();

const never = new AbortController().signal;
const mail = { to: 'ann@example.com', id: 'mail_1', subject: 'Größe', text: 'Hello\n' };
const sockets = new Set<Socket>();
let server: Server | undefined;

/** A server that does with a connection what it is told. */
async function hostile(serve: (socket: Socket) => void): Promise<{ host: string; port: number }> {
  server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    serve(socket);
  });
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
  return { host: '127.0.0.1', port: (server.address() as AddressInfo).port };
}

afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  sockets.clear();
  await new Promise<void>((resolve) => (server ? server.close(() => resolve()) : resolve()));
  server = undefined;
});

const settings = { secure: false, from: 'no-reply@turnpike.example' };

test('an e-mail arrives, with the same id for each attempt', async () => {
  await using mails = await MailServer.start();
  const mailer = new Mailer(mails.config);
  await mailer.send(mail, never);
  await mailer.send({ ...mail, to: 'a,b@example.com' }, never);
  expect(mails.received).toMatchObject([
    { to: ['ann@example.com'], messageId: '<mail_1@turnpike.example>', text: 'Hello\r\n' },
    // One address, not a list.
    { to: ['"a,b"@example.com'] },
  ]);
});

test('a wrong password is an error that does not name it', async () => {
  await using mails = await MailServer.start();
  const wrong = `${smtpPassword}-wrong`;
  const sent = new Mailer({ ...mails.config, auth: { user: 'mailer', pass: wrong } }).send(mail, never);
  const error = await sent.catch((reason: Error) => reason);
  expect(error).toMatchObject({ name: 'MailError', isFinal: false });
  expect(JSON.stringify(error) + String(error)).not.toContain(smtpPassword);
});

test('a password is not sent to another machine without TLS', async () => {
  const seen: string[] = [];
  const { port } = await hostile((socket) => {
    socket.on('data', (data) => {
      seen.push(data.toString());
      socket.write('250-hello\r\n250 AUTH PLAIN LOGIN\r\n');
    });
    socket.write('220 ready\r\n');
  });
  // A name of this machine that is not one of loopback's.
  const mailer = new Mailer(
    { ...settings, host: '0.0.0.0', port, auth: { user: 'u', pass: smtpPassword } },
    5000,
  );
  await expect(mailer.send(mail, never)).rejects.toMatchObject({ name: 'MailError' });
  expect(seen.join('')).toContain('STARTTLS');
  expect(seen.join('')).not.toContain('AUTH');
});

test('a server that answers without end is cut off', async () => {
  const address = await hostile((socket) => {
    const chunk = 'x'.repeat(64 * 1024);
    const flood = () => {
      while (!socket.destroyed && socket.write(chunk));
    };
    socket.on('drain', flood);
    socket.write('220 ');
    flood();
  });
  await expect(new Mailer({ ...settings, ...address }).send(mail, never)).rejects.toThrow(
    'exceeds maximum allowed size',
  );
  await expect.poll(() => [...sockets].every(({ destroyed }) => destroyed)).toBe(true);
});

test('a server that answers a little now and then is cut off at the deadline', async () => {
  const address = await hostile((socket) => {
    const timer = setInterval(() => socket.write('220-wait\r\n'), 20);
    socket.on('close', () => clearInterval(timer));
  });
  await expect(new Mailer({ ...settings, ...address }, 300).send(mail, never)).rejects.toThrow(
    'did not take the e-mail within 0.3 seconds',
  );
  await expect.poll(() => [...sockets].every(({ destroyed }) => destroyed)).toBe(true);
});

test('a stop ends an e-mail that is being sent', async () => {
  const stop = new AbortController();
  const address = await hostile(() => stop.abort());
  await expect(new Mailer({ ...settings, ...address }).send(mail, stop.signal)).rejects.toMatchObject({
    name: 'MailError',
  });
});
