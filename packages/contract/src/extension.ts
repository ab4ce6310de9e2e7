import { type Static, Type } from 'typebox';
import { extensionIdPattern } from './ids.ts';

/** The extensions of an account. */
export const maxExtensions = 20;

/** What is uploaded may be so large; and so large what is in it, unpacked. */
export const maxPackageBytes = 16 * 2 ** 20;
export const maxUnpackedBytes = 64 * 2 ** 20;
export const maxPackageFiles = 5000;

/** What one session may be given, packed. */
export const maxSessionPackageBytes = 32 * 2 ** 20;

export const Extension = Type.Object({
  id: Type.String({ pattern: extensionIdPattern.source, description: "Chromium's id, in every session" }),
  name: Type.String({ description: 'As in its manifest' }),
  version: Type.String(),
  checksum: Type.String({ pattern: '^[0-9a-f]{64}$', description: 'SHA-256 of what was uploaded' }),
  size: Type.Integer({ description: 'Bytes that were uploaded' }),
  createdAt: Type.String({ format: 'date-time', description: 'When this version was uploaded' }),
});
export type Extension = Static<typeof Extension>;

export const ExtensionList = Type.Object({ extensions: Type.Array(Extension) });
export type ExtensionList = Static<typeof ExtensionList>;

export const DeletedExtension = Type.Object({ id: Type.String() });
