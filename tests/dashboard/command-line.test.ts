import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { startTestGateway } from '../fixtures/gateway/gateway.ts';
import { scratchDirectory } from '../fixtures/process/scratch-directory.ts';
import { watchLeaks } from '../fixtures/suite/leaks.ts';
import { password } from './harness.ts';
import { Visitor } from './visitor.ts';

watchLeaks();

const command = join(import.meta.dirname, '../../apps/cli/src/main.ts');

test('links that are made on the command line let people in, and are in the audit log', async () => {
  await using directory = await scratchDirectory('data');
  const file = join(directory.path, 'turnpike.sqlite');
  await using gateway = await startTestGateway({ engine: 'sqlite', file });
  const { email } = await gateway.account();
  const env = {
    ...process.env,
    TURNPIKE_DATA_DIR: directory.path,
    TURNPIKE_PUBLIC_URL: 'https://turnpike.example/',
    DATABASE_URL: '',
  };
  const turnpike = async (...args: string[]) =>
    (await promisify(execFile)(process.execPath, [command, ...args], { env })).stdout.trim();

  const [operatorLink, accountLink] = await Promise.all([
    turnpike('operator', 'invite', 'Olga@example.com'),
    turnpike('account', 'invite', email),
  ]);
  expect([operatorLink, accountLink]).toEqual(
    Array(2).fill(expect.stringMatching(/^https:\/\/turnpike\.example\/welcome#token=[0-9a-f]{64}$/)),
  );
  const [operator, person] = [new Visitor(gateway.url), new Visitor(gateway.url)];
  expect((await operator.useLink(operatorLink, password)).json).toMatchObject({
    email: 'olga@example.com',
    role: 'operator',
  });
  expect((await person.useLink(accountLink, password)).json).toMatchObject({ email, role: 'account' });
  const { json } = await operator.get('/dashboard/api/operator/audit?action=operator.invitation');
  expect(json.entries).toMatchObject([{ actor: 'cli', target: 'olga@example.com', address: null }]);
});
