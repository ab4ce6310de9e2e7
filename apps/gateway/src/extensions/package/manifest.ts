import { JsonTooDeepError, parseBoundedJson } from '@turnpike/process/bounded-json';
import { PackageError } from './package-error.ts';
import { unpack, type ZipFile } from './zip-archive.ts';

/** What the service reads of an extension's manifest. */
export interface Manifest {
  name: string;
  version: string;
  /** Decoded; undefined if it has none. */
  key: Buffer | undefined;
  /** All of it. */
  content: Record<string, unknown>;
}

export const manifestPath = 'manifest.json';
const maxJsonBytes = 2 ** 20;
const maxNameLength = 200;
/** A public key in the DER format, of 4096 bits at most. */
const maxKeyBytes = 1024;
const versionPattern = /^\d{1,5}(?:\.\d{1,5}){0,3}$/;
const message = /^__MSG_([A-Za-z0-9_@]{1,200})__$/;
const locale = /^[A-Za-z0-9_-]{1,20}$/;

/** Reads the manifest among an extension's files. */
export async function readManifest(files: readonly ZipFile[]): Promise<Manifest> {
  const content = await readJson(files, manifestPath);
  if (!content) {
    const inside = files.find(({ path }) => path.endsWith(`/${manifestPath}`))?.path;
    const found = inside === undefined ? '' : ` It is at ${JSON.stringify(inside.slice(0, 100))} now.`;
    throw new PackageError(`It must have a ${manifestPath} at its top, not in a folder.${found}`);
  }
  const { manifest_version, version, key } = content;
  if (manifest_version !== 3)
    throw new PackageError(
      'manifest_version must be 3. Chromium no longer loads extensions of another version.',
    );
  if (typeof version !== 'string' || !isVersion(version))
    throw new PackageError('version must be one to four numbers up to 65535, such as 1.2.0.');
  return { name: await readName(content, files), version, key: keyOf(key), content };
}

const isVersion = (text: string): boolean =>
  versionPattern.test(text) && text.split('.').every((part) => Number(part) <= 65_535);

function keyOf(key: unknown): Buffer | undefined {
  if (key === undefined) return undefined;
  const bytes = typeof key === 'string' ? Buffer.from(withoutArmour(key), 'base64') : Buffer.alloc(0);
  if (bytes.length === 0 || bytes.length > maxKeyBytes)
    throw new PackageError('key must be a public key in base64. Leave it out if you have none.');
  return bytes;
}

/** Chromium accepts a key in the PEM format too. */
const withoutArmour = (key: string): string =>
  key.slice(0, 4 * maxKeyBytes).replace(/-----[A-Z ]+-----/g, '');

/** The name for people: where the manifest refers to a message, that of the default locale. */
async function readName(content: Record<string, unknown>, files: readonly ZipFile[]): Promise<string> {
  const { name, default_locale } = content;
  const rule = `name must be a text of 1 to ${maxNameLength} characters.`;
  if (typeof name !== 'string') throw new PackageError(rule);
  const reference = message.exec(name)?.[1];
  const text = (reference && (await readMessage(files, default_locale, reference))) ?? name;
  // One line, which lists and create parameters can have.
  const line = text.split(/\s/).filter(Boolean).join(' ');
  if (line === '' || line.length > maxNameLength) throw new PackageError(rule);
  return line;
}

async function readMessage(
  files: readonly ZipFile[],
  defaultLocale: unknown,
  reference: string,
): Promise<string | undefined> {
  if (typeof defaultLocale !== 'string' || !locale.test(defaultLocale)) return undefined;
  const messages = (await readJson(files, `_locales/${defaultLocale}/messages.json`)) ?? {};
  const wanted = reference.toLowerCase();
  const key = Object.keys(messages).find((name) => name.toLowerCase() === wanted);
  const text = (messages[key ?? ''] as { message?: unknown } | null | undefined)?.message;
  return typeof text === 'string' ? text : undefined;
}

/** Reads a JSON object; undefined if there is no such file. */
async function readJson(
  files: readonly ZipFile[],
  wanted: string,
): Promise<Record<string, unknown> | undefined> {
  const file = files.find(({ path }) => path === wanted);
  if (!file) return undefined;
  if (file.bytes > maxJsonBytes) throw new PackageError(`${wanted} must be at most ${maxJsonBytes} bytes.`);
  const bytes = await unpack(file);
  let value: unknown;
  try {
    value = parseBoundedJson(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch (error) {
    const rule = error instanceof JsonTooDeepError ? 'is nested too deeply' : 'is not JSON in UTF-8';
    throw new PackageError(`${wanted} ${rule}. Leave out comments.`);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new PackageError(`${wanted} must be a JSON object.`);
  return { ...value };
}
