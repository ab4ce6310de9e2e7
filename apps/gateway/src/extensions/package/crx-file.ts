import { createPublicKey, type KeyObject, verify } from 'node:crypto';
import { promisify } from 'node:util';
import { idOfHash, idOfKey } from './extension-id.ts';
import { PackageError } from './package-error.ts';
import { ProtoError, protoFields } from './proto-fields.ts';

/** A zip archive with a signed header in front, in the CRX3 format of Chromium (crx_file/crx3.proto). */
export interface CrxFile {
  archive: Buffer;
  /** The public key that it is signed with, in the DER format. The id follows from it. */
  publicKey: Buffer;
}

const magic = Buffer.from('Cr24');
const headerAt = 12;
const version = 3;
/** Signatures, and what the Web Store adds: a few kilobytes. */
const maxHeaderBytes = 2 ** 18;
const maxProofs = 16;
const fields = { rsaProof: 2, ecdsaProof: 3, signedData: 10_000 } as const;
const proofFields = { publicKey: 1, signature: 2 } as const;
const signedFields = { crxId: 1 } as const;

export const isCrx = (bytes: Buffer): boolean => bytes.subarray(0, magic.length).equals(magic);

/** Reads a crx file and checks the signature of the key that its id comes from. */
export async function readCrx(bytes: Buffer): Promise<CrxFile> {
  if (bytes.length < headerAt) throw damaged();
  if (bytes.readUInt32LE(4) !== version)
    throw new PackageError('It must be a crx file of version 3. Pack it with a current Chromium.');
  const headerEnd = headerAt + bytes.readUInt32LE(8);
  if (headerEnd > bytes.length || headerEnd - headerAt > maxHeaderBytes) throw damaged();
  const archive = bytes.subarray(headerEnd);
  const { id, signedData, proofs } = readHeader(bytes.subarray(headerAt, headerEnd));
  const own = proofs.find(({ publicKey }) => idOfKey(publicKey) === id);
  if (!own) throw new PackageError('The crx file is not signed with the key that its id comes from.');
  const length = Buffer.alloc(4);
  length.writeUInt32LE(signedData.length);
  const signed = Buffer.concat([signedPrefix, length, signedData, archive]);
  if (!(await isSignedBy(own, signed))) throw new PackageError('The signature of the crx file is wrong.');
  return { archive, publicKey: own.publicKey };
}

const signedPrefix = Buffer.from('CRX3 SignedData\0');

interface Proof {
  publicKey: Buffer;
  signature: Buffer;
}

function readHeader(header: Buffer): { id: string; signedData: Buffer; proofs: Proof[] } {
  try {
    const all = protoFields(header);
    const signedData = all.find(({ number }) => number === fields.signedData)?.bytes ?? Buffer.alloc(0);
    const crxId = protoFields(signedData).find(({ number }) => number === signedFields.crxId)?.bytes;
    if (crxId?.length !== 16) throw damaged();
    const proofs = all
      .filter(({ number }) => number === fields.rsaProof || number === fields.ecdsaProof)
      .slice(0, maxProofs)
      .map(({ bytes }) => proofOf(bytes));
    return { id: idOfHash(crxId), signedData, proofs };
  } catch (error) {
    throw error instanceof ProtoError ? damaged() : error;
  }
}

function proofOf(bytes: Buffer): Proof {
  const members = protoFields(bytes);
  const member = (wanted: number) =>
    members.find(({ number }) => number === wanted)?.bytes ?? Buffer.alloc(0);
  return { publicKey: member(proofFields.publicKey), signature: member(proofFields.signature) };
}

/** With the key and data, in another thread: the data may be megabytes. */
const verifySignature = promisify(verify) as (
  algorithm: string,
  data: Buffer,
  key: KeyObject,
  signature: Buffer,
) => Promise<boolean>;

async function isSignedBy({ publicKey, signature }: Proof, data: Buffer): Promise<boolean> {
  try {
    const key = createPublicKey({ key: publicKey, format: 'der', type: 'spki' });
    if (key.asymmetricKeyType !== 'rsa' && key.asymmetricKeyType !== 'ec') return false;
    return await verifySignature('sha256', data, key, signature);
  } catch {
    return false; // It is no key.
  }
}

const damaged = () => new PackageError('The crx file is damaged: its header cannot be read.');
