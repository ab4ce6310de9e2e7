import { maxExtensions, maxPackageBytes } from '@turnpike/contract/extension';
import { extensionIdPattern } from '@turnpike/contract/ids';
import { Type } from 'typebox';
import type { ApiDescription } from '../http/openapi/api-description.ts';

/** OpenAPI descriptions of the routes of extensions. */

const common = { tag: 'Extensions', security: ['apiKey'] } as const;
const params = Type.Object({ id: Type.String({ pattern: extensionIdPattern.source }) });
const example = {
  id: 'mnhiohfdamcefpnhnbehggahkmbegajm',
  name: 'Cookie banners',
  version: '1.2.0',
  checksum: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  size: 48_213,
  createdAt: '2026-11-18T12:00:00.000Z',
};

export const extensionsApi: ApiDescription = {
  ...common,
  id: 'listExtensions',
  summary: 'List extensions',
  answers: {
    200: {
      description: 'All uploaded extensions, by name.',
      example: { extensions: [example] },
    },
  },
  errors: [],
};

export const uploadExtensionApi: ApiDescription = {
  ...common,
  id: 'uploadExtension',
  summary: 'Upload an extension',
  description: [
    `The body is a zip file with \`manifest.json\` at its top, or a crx file: at most ${maxPackageBytes} bytes. The`,
    'manifest has version 3. An extension with the same id is replaced; sessions that run keep theirs.',
    'The id comes from the key of a crx file or of the manifest. Without one, it comes from the account and the name',
    `of the extension. An account has up to ${maxExtensions} extensions.`,
  ].join(' '),
  body: { 'application/octet-stream': { schema: Type.String() } },
  answers: { 200: { description: 'The extension, which creates can name now.', example } },
  errors: ['extensionInvalid', 'extensionNotAllowed', 'tooManyExtensions', 'tooManyUploads', 'busy'],
};

export const extensionApi: ApiDescription = {
  ...common,
  id: 'getExtension',
  summary: 'Read an extension',
  params,
  answers: { 200: { description: 'The extension.', example } },
  errors: ['badRequest', 'notFound'],
};

export const deleteExtensionApi: ApiDescription = {
  ...common,
  id: 'deleteExtension',
  summary: 'Delete an extension',
  description: 'Sessions that have loaded it go on.',
  params,
  answers: { 200: { description: 'The extension is deleted.' } },
  errors: ['badRequest', 'notFound'],
};
