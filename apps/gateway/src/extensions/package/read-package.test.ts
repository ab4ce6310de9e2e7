import { generateKeyPairSync } from 'node:crypto';
import fc from 'fast-check';
import { expect, it, test } from 'vitest';
import {
  extensionFiles,
  type PackedFile,
  packCrx,
  packZip,
} from '../../../../../tests/fixtures/extensions/packed-extension.ts';
import { extensionFiles as sentFiles } from './extension-files.ts';
import { idOfKey } from './extension-id.ts';
import { PackageError } from './package-error.ts';
import { readPackage } from './read-package.ts';
import { readZip, unpack } from './zip-archive.ts';

const read = (files: readonly PackedFile[]) => readPackage(packZip(files), 'account');
const refusal = (files: readonly PackedFile[]) =>
  read(files).then(
    () => 'accepted',
    (error) => (error instanceof PackageError ? error.message : `crashed: ${error.stack}`),
  );
const withFile = (file: Partial<PackedFile>): PackedFile[] => [
  ...extensionFiles(),
  { path: 'file.js', content: 'x'.repeat(1000), ...file },
];

it('reads the name and version of an extension, and gives it an id that does not change', async () => {
  const first = await read(extensionFiles());
  expect(first).toMatchObject({ name: 'Example', version: '1.0', idSource: 'name' });
  expect(first.id).toMatch(/^[a-p]{32}$/);
  expect((await read(extensionFiles({ version: '2' }))).id).toBe(first.id);
  expect((await readPackage(packZip(extensionFiles()), 'another')).id).not.toBe(first.id);
  expect((await read(extensionFiles({ name: 'Other' }))).id).not.toBe(first.id);
});

it('takes the id from the key of the manifest', async () => {
  const key = Buffer.from('some public key');
  const found = await read(extensionFiles({ key: key.toString('base64') }));
  expect(found).toMatchObject({ id: idOfKey(key), idSource: 'manifest' });
  const pem = `-----BEGIN PUBLIC KEY-----\n${key.toString('base64')}\n-----END PUBLIC KEY-----`;
  expect((await read(extensionFiles({ key: pem }))).id).toBe(found.id);
});

it('reads a name that is a message of the default locale', async () => {
  const messages = { '_locales/de/messages.json': JSON.stringify({ AppName: { message: ' Kekse\n weg ' } }) };
  const manifest = { name: '__MSG_appName__', default_locale: 'de' };
  expect((await read(extensionFiles(manifest, messages))).name).toBe('Kekse weg');
});

it.each(['rsa', 'ec'] as const)('takes the id of a crx file from the %s key that signed it', async (type) => {
  const keys =
    type === 'rsa'
      ? generateKeyPairSync('rsa', { modulusLength: 2048 })
      : generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const crx = packCrx(packZip(extensionFiles({ key: 'YWJj' })), keys);
  const id = idOfKey(keys.publicKey.export({ type: 'spki', format: 'der' }));
  expect(await readPackage(crx, 'account')).toMatchObject({ id, idSource: 'signature' });
  const changed = Buffer.from(crx);
  changed[crx.length - 1] = (changed[crx.length - 1] as number) ^ 1;
  await expect(readPackage(changed, 'account')).rejects.toThrow('signature of the crx file is wrong');
});

it('refuses a crx file whose signature is of another key than its id', async () => {
  const [one, two] = [1, 2].map(() => generateKeyPairSync('ec', { namedCurve: 'P-256' })) as [never, never];
  const archive = packZip(extensionFiles());
  const [first, second] = [packCrx(archive, one), packCrx(archive, two)];
  const header = (crx: Buffer) => crx.subarray(12, 12 + crx.readUInt32LE(8));
  // The signed data, with the id, are the last 22 bytes of a header.
  const mixed = Buffer.concat([header(first).subarray(0, -22), header(second).subarray(-22)]);
  const crx = Buffer.concat([first.subarray(0, 8), second.subarray(8, 12), mixed, archive]);
  crx.writeUInt32LE(mixed.length, 8);
  await expect(readPackage(crx, 'account')).rejects.toThrow(PackageError);
});

it('leaves out what macOS and the Web Store add', async () => {
  const files = [
    ...extensionFiles(),
    { path: '__MACOSX/._manifest.json', content: 'x' },
    { path: '_metadata/verified_contents.json', content: '{}' },
    { path: 'images/', content: '', stored: true },
  ];
  const { archive } = await read(files);
  expect(readZip(archive).map(({ path }) => path)).toEqual(['manifest.json']);
});

it('hosts get the files with the key in the manifest', async () => {
  const { archive, publicKey } = await read(extensionFiles({}, { 'a/b.js': '1' }));
  const key = publicKey.toString('base64');
  const [manifest, script] = await sentFiles(archive, key);
  const text = Buffer.from(manifest?.content ?? '', 'base64').toString();
  expect(JSON.parse(text)).toMatchObject({ name: 'Example', key });
  expect(manifest).toMatchObject({ bytes: text.length, isDeflated: false });
  expect(script).toMatchObject({ path: 'a/b.js', bytes: 1, isDeflated: true });
});

test.each<[string, PackedFile[], string | RegExp]>([
  ['manifest of version 2', extensionFiles({ manifest_version: 2 }), 'manifest_version must be 3'],
  ['no manifest', [{ path: 'a.js', content: '' }], 'must have a manifest.json at its top'],
  ['manifest in a folder', [{ path: 'a/manifest.json', content: '{}' }], 'It is at "a/manifest.json" now'],
  ['manifest that is no JSON', [{ path: 'manifest.json', content: '{ // hi\n}' }], 'is not JSON'],
  ['manifest that is a list', [{ path: 'manifest.json', content: '[]' }], 'must be a JSON object'],
  ['deep manifest', [{ path: 'manifest.json', content: '['.repeat(9999) }], 'nested too deeply'],
  ['no name', extensionFiles({ name: 5 }), 'name must be'],
  ['long name', extensionFiles({ name: 'n'.repeat(201) }), 'name must be'],
  ['odd version', extensionFiles({ version: '1.2.x' }), 'version must be'],
  ['large version', extensionFiles({ version: '65536' }), 'version must be'],
  ['odd key', extensionFiles({ key: '' }), 'key must be'],
  ['large key', extensionFiles({ key: 'A'.repeat(9999) }), 'key must be'],
  ['path that leads out', withFile({ path: '../out.js' }), 'is not relative'],
  ['path that leads out further in', withFile({ path: 'a/../../out.js' }), 'is not relative'],
  ['absolute path', withFile({ path: '/etc/passwd' }), 'is not relative'],
  ['path with a NUL', withFile({ path: 'a\0b' }), 'is not relative'],
  ['path with a backslash', withFile({ path: 'a\\b' }), 'has a backslash'],
  ['empty path', withFile({ path: '' }), 'is not relative'],
  ['long path', withFile({ path: `${'a/'.repeat(30)}b` }), 'is too long'],
  ['underscore', withFile({ path: '_hidden/a.js' }), 'begins with an underscore'],
  ['symbolic link', withFile({ mode: 0xa1ff }), 'is a link or a device'],
  ['device', withFile({ mode: 0x21ff }), 'is a link or a device'],
  ['encrypted file', withFile({ flags: 1 }), 'is encrypted'],
  ['unknown compression', withFile({ method: 12 }), 'is compressed in an unknown way'],
  ['file twice', withFile({ path: 'manifest.json' }), 'is in the archive twice'],
  ['file that is a directory', [...withFile({}), { path: 'file.js/a', content: '' }], 'file and a directory'],
  ['bomb that says so', withFile({ claims: { bytes: 65 * 2 ** 20 } }), 'must be at most 67108864 bytes'],
  ['bomb that does not', withFile({ content: Buffer.alloc(2 ** 20), claims: { bytes: 10 } }), 'is damaged'],
  ['file that is shorter', withFile({ claims: { bytes: 1001 } }), 'is damaged'],
  ['wrong checksum', withFile({ claims: { crc: 1 } }), 'is damaged'],
  ['file beyond the archive', withFile({ claims: { offset: 2 ** 31 } }), 'is damaged'],
  ['file that is the list', withFile({ claims: { packedBytes: 5000 } }), /overlap|damaged/],
  [
    'files that overlap',
    [
      { path: 'big.bin', content: Buffer.alloc(9000, 'x'), stored: true },
      ...Array.from({ length: 3 }, (_, i) => ({
        path: `${i}.bin`,
        content: '',
        stored: true,
        claims: { bytes: 9000, packedBytes: 9000, offset: 0 },
      })),
    ],
    'overlap',
  ],
])('refuses: %s', async (_what, files, reason) => {
  expect(await refusal(files)).toMatch(reason);
});

it('refuses an archive of too many files before it reads them', async () => {
  const files = Array.from({ length: 5001 }, (_, i) => ({ path: `${i}`, content: '', stored: true }));
  expect(await refusal(files)).toContain('at most 5000 files');
});

it.each(['', 'PK', 'not an archive', 'Cr24', `Cr24\x02\0\0\0\0\0\0\0`])('refuses %j', async (text) => {
  await expect(readPackage(Buffer.from(text), 'account')).rejects.toThrow(PackageError);
});

const path = fc
  .array(fc.stringMatching(/^[a-z]{1,6}$/), { minLength: 1, maxLength: 4 })
  .map((names) => names.join('/'));
const archived = fc.uniqueArray(fc.record({ path, content: fc.string(), stored: fc.boolean() }), {
  selector: (file) => file.path.split('/')[0],
  maxLength: 8,
});

it('reads back every archive', async () => {
  await fc.assert(
    fc.asyncProperty(archived, fc.string({ maxLength: 50 }), async (files, comment) => {
      const found = readZip(packZip(files, comment));
      const contents = await Promise.all(found.map(async (file) => (await unpack(file)).toString()));
      expect(found.map((file, i) => [file.path, contents[i]])).toEqual(
        files.map((file) => [file.path, Buffer.from(file.content).toString()]),
      );
    }),
  );
});

const keys = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const zip = packZip(extensionFiles({}, { 'a/b.js': 'let a = 1;', 'c.js': 'let b = 2;' }));
const change = fc.record({ at: fc.nat(), to: fc.nat(255), cut: fc.boolean() });

it.each([
  ['zip', zip],
  ['crx', packCrx(zip, keys)],
])('a %s file that was changed is read or refused, and nothing else', async (_kind, original) => {
  await fc.assert(
    fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 6 }), async (changes) => {
      let bytes = Buffer.from(original);
      for (const { at, to, cut } of changes) {
        if (bytes.length === 0) break;
        if (cut && to < 40) bytes = bytes.subarray(0, at % bytes.length);
        else bytes[at % bytes.length] = to;
      }
      await readPackage(bytes, 'account').catch((error) => expect(error).toBeInstanceOf(PackageError));
    }),
    { numRuns: 400 },
  );
});
