import { createHash, generateKeyPairSync, randomBytes } from 'node:crypto';
import { HostError } from '@turnpike/contract/host';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { idOfKey } from '../../../apps/gateway/src/extensions/package/extension-id.ts';
import { extensionFiles, packCrx, packZip } from '../../fixtures/extensions/packed-extension.ts';
import { call, startGatewayOn, type TestAccount, type TestGateway } from '../../fixtures/gateway/gateway.ts';
import { watchLeaks } from '../../fixtures/suite/leaks.ts';
import { describeEach, quickOn } from '../../fixtures/suite/matrix.ts';

watchLeaks();

const zip = (manifest: object = {}, more: Record<string, string> = {}) =>
  packZip(extensionFiles(manifest, more));
const upload = (gateway: TestGateway, { key }: TestAccount, file: Buffer) =>
  call(`${gateway.url}/user/api/extensions`, {
    method: 'POST',
    headers: { 'x-api-key': key, 'content-type': 'application/octet-stream' },
    body: new Uint8Array(file),
  });

describeEach(quickOn('sqlite'))('extensions on %s', (engine) => {
  let gateway: TestGateway;
  let account: TestAccount;

  beforeAll(async () => {
    gateway = await startGatewayOn(engine);
  });
  beforeEach(async () => {
    gateway.host.onOpen = async () => {};
    account = await gateway.account({ creates_per_minute: 1000, concurrent_limit: 100 });
  });
  afterAll(() => gateway[Symbol.asyncDispose]());

  const put = async (file: Buffer, by = account) => {
    const answer = await upload(gateway, by, file);
    expect(answer).toMatchObject({ status: 200 });
    return answer.json;
  };
  const list = async (by = account) => (await by.get('/user/api/extensions')).json.extensions;
  const remove = (id: string, by = account) =>
    call(`${gateway.url}/user/api/extensions/${id}`, {
      method: 'DELETE',
      headers: { 'x-api-key': by.key },
    });

  test('an extension is uploaded, listed, read, replaced and deleted', async () => {
    const first = await put(zip());
    expect(first).toEqual({
      id: expect.stringMatching(/^[a-p]{32}$/),
      name: 'Example',
      version: '1.0',
      checksum: expect.stringMatching(/^[0-9a-f]{64}$/),
      size: zip().length,
      createdAt: expect.any(String),
    });
    const second = await put(zip({ version: '1.1' }));
    expect(second).toMatchObject({ id: first.id, version: '1.1' });
    expect(second.checksum).not.toBe(first.checksum);
    expect(await list()).toEqual([second]);
    expect((await account.get(`/user/api/extensions/${first.id}`)).json).toEqual(second);
    expect(await remove(first.id)).toMatchObject({ status: 200, json: { id: first.id } });
    expect(await list()).toEqual([]);
    expect(await remove(first.id)).toMatchObject({ status: 404 });
    // The id is the same again: sites that know it need no change.
    expect(await put(zip())).toMatchObject({ id: first.id });
  });

  test('another account neither sees nor uses it', async () => {
    const { id } = await put(zip());
    const other = await gateway.account();
    expect(await list(other)).toEqual([]);
    expect((await other.get(`/user/api/extensions/${id}`)).status).toBe(404);
    expect((await remove(id, other)).status).toBe(404);
    expect(await other.create({ extensions: [id] })).toMatchObject({
      status: 400,
      json: { code: 'MALFORMED_PARAMS' },
    });
    expect(await list()).toHaveLength(1);
  });

  test('the host gets the files, with the key of the id in the manifest', async () => {
    const { id } = await put(zip({ name: 'One' }, { 'a/b.js': 'let a;' }));
    expect(await account.create({ extensions: 'One' })).toMatchObject({
      status: 200,
      json: { browserParams: { extensions: ['One'] } },
    });
    const request = gateway.host.requests.at(-1);
    expect(request?.mayLoadExtensions).toBe(true);
    const [extension] = request?.extensions ?? [];
    expect(extension).toMatchObject({ id, name: 'One' });
    const [manifest, script] = extension?.files ?? [];
    const { key } = JSON.parse(Buffer.from(manifest?.content ?? '', 'base64').toString());
    expect(idOfKey(Buffer.from(key, 'base64'))).toBe(id);
    expect(script).toMatchObject({ path: 'a/b.js', bytes: 6 });
    await account.create({ extensions: [id, 'One'] });
    expect(gateway.host.requests.at(-1)?.extensions).toHaveLength(1);
    await account.create();
    expect(gateway.host.requests.at(-1)).not.toHaveProperty('extensions');
  });

  test.each([
    [['Missing'], 'must be ids or names of uploaded extensions; "Missing" is not one'],
    [['Twice'], 'must have the id instead of "Twice"'],
    [Array.from({ length: 9 }, (_, i) => `${i}`), 'must be a list of at most 8'],
    [[5], 'must be a list of at most 8'],
  ])('a create with extensions %j is refused', async (extensions, rule) => {
    const key = Buffer.from('a key of its own').toString('base64');
    await put(zip({ name: 'Twice' }));
    await put(zip({ name: 'Twice', key }));
    const { status, json } = await account.create({ extensions });
    expect({ status, error: json.error }).toEqual({ status: 400, error: expect.stringContaining(rule) });
  });

  test('an extension that the browser does not load is an error of the create', async () => {
    await put(zip());
    gateway.host.onOpen = async () => {
      throw new HostError('EXTENSION_FAILED', 'Example was not loaded: it is wrong');
    };
    const opened = gateway.host.requests.length;
    expect(await account.create({ extensions: ['Example'] })).toMatchObject({
      status: 422,
      json: { code: 'EXTENSION_FAILED', detail: 'Example was not loaded: it is wrong' },
    });
    expect(gateway.host.requests.length).toBe(opened + 1);
  });

  test('what is no extension is refused, with what is wrong', async () => {
    for (const [file, reason] of [
      [Buffer.alloc(0), 'It must be a zip or crx file.'],
      [Buffer.from('hello'), 'It must be a zip or crx file.'],
      [zip({ manifest_version: 2 }), 'manifest_version must be 3.'],
      [Buffer.alloc(16 * 2 ** 20 + 1), 'It must be at most 16777216 bytes.'],
    ] as const) {
      const { status, json } = await upload(gateway, account, file);
      expect({ status, ...json }).toMatchObject({ status: 400, code: 'EXTENSION_INVALID' });
      expect(json.error).toContain(reason);
    }
    expect(await list()).toEqual([]);
  });

  test('an account has 20 at most, however many arrive at once', async () => {
    const files = Array.from({ length: 24 }, (_, i) => zip({ name: `Extension ${i}` }));
    const answers: number[] = [];
    // Two at a time are taken, and eight wait.
    for (let i = 0; i < files.length; i += 8) {
      const some = files.slice(i, i + 8).map((file) => upload(gateway, account, file));
      for (const { status, json } of await Promise.all(some)) {
        answers.push(status);
        if (status !== 200) expect(json).toMatchObject({ code: 'TOO_MANY_EXTENSIONS' });
      }
    }
    expect(answers.filter((status) => status === 200)).toHaveLength(20);
    expect(answers.filter((status) => status === 409)).toHaveLength(4);
    expect(await list()).toHaveLength(20);
    // One of them can be replaced.
    const [{ name }] = await list();
    await put(zip({ name, version: '2' }));
  });

  test('a session gets 32 MiB at most', { tags: 'slow' }, async () => {
    for (const name of ['a', 'b', 'c']) {
      const big = { path: 'big.bin', content: randomBytes(12 * 2 ** 20), stored: true };
      await put(packZip([...extensionFiles({ name }), big]));
    }
    expect(await account.create({ extensions: ['a', 'b'] })).toMatchObject({ status: 200 });
    const { status, json } = await account.create({ extensions: ['a', 'b', 'c'] });
    expect([status, json.error]).toEqual([400, expect.stringContaining('at most 33554432 bytes together')]);
  });
});

test('an operator’s list allows what is signed by a key, and what has a checksum', async () => {
  const keys = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const publicKey = keys.publicKey.export({ type: 'spki', format: 'der' });
  const id = idOfKey(publicKey);
  const copied = zip({ key: publicKey.toString('base64') });
  const known = zip({ name: 'Known' });
  const checksum = createHash('sha256').update(known).digest('hex');
  await using gateway = await startGatewayOn('sqlite', { allowedExtensions: [id, checksum] });
  const account = await gateway.account();
  expect(await upload(gateway, account, packCrx(zip(), keys))).toMatchObject({ status: 200, json: { id } });
  expect(await upload(gateway, account, known)).toMatchObject({ status: 200, json: { checksum } });
  // The public key of the same id is known to anybody.
  for (const file of [copied, zip({ name: 'Other' })]) {
    expect(await upload(gateway, account, file)).toMatchObject({
      status: 403,
      json: { code: 'EXTENSION_NOT_ALLOWED' },
    });
  }
  expect(await account.create({ extensions: [id, 'Known'] })).toMatchObject({ status: 200 });
  expect(gateway.host.requests.at(-1)?.mayLoadExtensions).toBe(false);
});
