import { createPrivateKey, generateKeyPairSync, sign } from 'node:crypto';
import type { ReceiptKey } from '@turnpike/contract/receipt';
import type { Database } from '../store/database.ts';
import { associatedData } from './associated-data.ts';
import type { Sealer } from './sealer.ts';
import {
  addFirstKey,
  findCurrentKey,
  listSigningKeys,
  type NewSigningKey,
  replaceCurrentKey,
  type SigningKeyRow,
} from './signing-key-store.ts';

/** The Ed25519 keys of the service. The public halves of all of them are published, so old signatures stay verifiable. */

interface KeyContext {
  db: Database;
  sealer: Sealer;
  now(): number;
}

/** Signs with the current key, which the first signature creates. */
interface Signer {
  keyId: string;
  sign(text: string): string;
}

export async function currentSigner(context: KeyContext): Promise<Signer> {
  const key = (await findCurrentKey(context.db)) ?? (await createFirstKey(context));
  const sealed = context.sealer.open(key.private_key_sealed, associatedData.signingKey(key.id));
  const privateKey = createPrivateKey(sealed);
  return {
    keyId: key.id,
    sign: (text) => sign(null, Buffer.from(text), privateKey).toString('base64url'),
  };
}

/** Replaces the current key. Its receipts stay valid. */
export async function rotateSigningKey(context: KeyContext): Promise<string> {
  const key = newSigningKey(context);
  await replaceCurrentKey(context.db, key);
  return key.id;
}

export async function publishedKeys(context: KeyContext): Promise<ReceiptKey[]> {
  const keys = await listSigningKeys(context.db);
  if (keys.length === 0) keys.push(await createFirstKey(context));
  return keys.map(({ id, public_key, created_at, retired_at }) => ({
    kty: 'OKP',
    crv: 'Ed25519',
    alg: 'EdDSA',
    use: 'sig',
    kid: id,
    x: public_key,
    createdAt: new Date(created_at).toISOString(),
    retiredAt: retired_at === null ? null : new Date(retired_at).toISOString(),
  }));
}

async function createFirstKey(context: KeyContext): Promise<SigningKeyRow> {
  await addFirstKey(context.db, newSigningKey(context));
  const key = await findCurrentKey(context.db);
  if (!key) throw new Error('The key that signs receipts was removed from the store');
  return key;
}

function newSigningKey({ sealer, now }: KeyContext): NewSigningKey {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const { x = '' } = publicKey.export({ format: 'jwk' });
  const id = `rk_${x.slice(0, 16)}`;
  const pem = privateKey.export({ format: 'pem', type: 'pkcs8' }).toString();
  return {
    id,
    public_key: x,
    private_key_sealed: sealer.seal(pem, associatedData.signingKey(id)),
    created_at: now(),
  };
}
