import { readFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { checkMail } from '../../apps/cli/src/doctor/service-checks.ts';
import { readGatewayConfig } from '../../apps/gateway/src/config.ts';
import { turnpike } from '../clients/cli-driver.ts';
import { makeCertificates } from '../fixtures/network/certificates.ts';
import { scratchDirectory } from '../fixtures/process/scratch-directory.ts';
import { MailServer, smtpPassword } from '../fixtures/receivers/mail-server.ts';
import { watchLeaks } from '../fixtures/suite/leaks.ts';
import { testEach } from '../fixtures/suite/matrix.ts';

watchLeaks();

const from = { TURNPIKE_MAIL_FROM: 'Turnpike <no-reply@turnpike.example>' };

describe('turnpike mail test', () => {
  test('sends an e-mail, and says what the server answered if it does not take it', async () => {
    await using mails = await MailServer.start();
    const env = { TURNPIKE_SMTP_URL: mails.url, ...from };
    const sent = await turnpike(env, ['mail', 'test', 'ann@example.com']);
    expect(sent).toMatchObject({ code: 0, stderr: '' });
    expect(sent.stdout).toContain(
      'took an e-mail from Turnpike <no-reply@turnpike.example> to ann@example.com',
    );
    expect(mails.received).toMatchObject([{ to: ['ann@example.com'], subject: 'Test e-mail from Turnpike' }]);

    mails.refuse = () => ({ responseCode: 550, message: 'no such user' });
    const refused = await turnpike(env, ['mail', 'test', 'ann@example.com']);
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expect(refused.stderr).toContain('no such user');
    expect(refused.stderr).not.toContain(smtpPassword);
  });

  testEach<[string, boolean]>({ quick: [['by STARTTLS', false]], slow: [['from the start', true]] })(
    'uses TLS %s, with a server whose certificate it can check',
    async (_how, secure) => {
      await using directory = await scratchDirectory('certificates');
      const { caFile, certFile, keyFile } = await makeCertificates(directory.path);
      const [key, cert] = await Promise.all([readFile(keyFile), readFile(certFile)]);
      await using mails = await MailServer.start({ key, cert, secure });
      const url = mails.url.replace('127.0.0.1', 'localhost').replace('smtp:', secure ? 'smtps:' : 'smtp:');
      const env = { TURNPIKE_SMTP_URL: url, ...from };
      const [trusting, wary] = await Promise.all([
        turnpike({ ...env, NODE_EXTRA_CA_CERTS: caFile }, ['mail', 'test', 'ann@example.com']),
        turnpike(env, ['mail', 'test', 'ann@example.com']),
      ]);
      expect(trusting).toMatchObject({ code: 0, stderr: '' });
      expect(wary).toMatchObject({ code: 1, stderr: expect.stringContaining('certificate') });
      expect(mails.received).toHaveLength(1);
    },
  );

  test('says what is not set', async () => {
    expect(await turnpike({}, ['mail', 'test', 'ann@example.com'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('TURNPIKE_SMTP_URL is not set'),
    });
  });
});

test('doctor checks that the SMTP server answers', async () => {
  const mails = await MailServer.start();
  const env = { TURNPIKE_SMTP_URL: mails.url, TURNPIKE_PUBLIC_URL: 'https://turnpike.example', ...from };
  const { port } = mails.config;
  expect(await checkMail(env)).toMatchObject({
    level: 'ok',
    what: expect.stringContaining(`127.0.0.1:${port}`),
  });
  expect(await checkMail({ ...env, TURNPIKE_PUBLIC_URL: '' })).toMatchObject({ level: 'fail' });
  expect(await checkMail({ ...env, TURNPIKE_MAIL_FROM: 'nobody' })).toMatchObject({ level: 'fail' });
  await mails[Symbol.asyncDispose]();
  const away = await checkMail(env);
  expect(away).toMatchObject({ level: 'fail' });
  expect(JSON.stringify(away)).not.toContain(smtpPassword);
});

test('settings of e-mail are checked at the start, and an error names no password', () => {
  const env = {
    TURNPIKE_SECRET_KEY: '0'.repeat(64),
    TURNPIKE_PUBLIC_URL: 'https://turnpike.example/',
    TURNPIKE_SMTP_URL: 'smtp://us%40er:p%25ss@mail.example',
    ...from,
  };
  expect(readGatewayConfig(env).mail).toEqual({
    host: 'mail.example',
    port: 587,
    secure: false,
    auth: { user: 'us@er', pass: 'p%ss' },
    from: from.TURNPIKE_MAIL_FROM,
    publicUrl: 'https://turnpike.example',
  });
  expect(readGatewayConfig({ ...env, TURNPIKE_SMTP_URL: 'smtps://[::1]' }).mail).toMatchObject({
    host: '::1',
    port: 465,
    secure: true,
  });
  expect(readGatewayConfig({ ...env, TURNPIKE_SMTP_URL: '' }).mail).toBeUndefined();
  for (const wrong of [
    { TURNPIKE_SMTP_URL: 'http://user:secret@mail.example' },
    { TURNPIKE_SMTP_URL: 'smtp://user:secret%@mail.example' },
    { TURNPIKE_SMTP_URL: 'smtp://' },
    { TURNPIKE_MAIL_FROM: 'no address' },
    { TURNPIKE_MAIL_FROM: 'a@example.com\r\nBcc: b@example.com' },
    { TURNPIKE_MAIL_FROM: '' },
    { TURNPIKE_PUBLIC_URL: '' },
  ]) {
    const read = () => readGatewayConfig({ ...env, ...wrong });
    expect(read).toThrow(new RegExp(Object.keys(wrong)[0] ?? ''));
    expect(read).not.toThrow(/secret/);
  }
});
