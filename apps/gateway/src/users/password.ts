import { argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { Semaphore } from './semaphore.ts';

/** Argon2id as OWASP recommends it: 19 MiB, two passes, one lane. */
const cost = { memory: 19_456, passes: 2, parallelism: 1 };
const saltBytes = 16;
const tagBytes = 32;

const derive = promisify(argon2);

/** Limits hashing: each takes 19 MiB and a thread of Node's pool, which also resolves names for proxies. */
const hashing = new Semaphore({ atOnce: 2, waiting: 100 });

interface Hashed {
  memory: number;
  passes: number;
  parallelism: number;
  salt: Buffer;
  tag: Buffer;
}

/**
 * Hashes a password, in the usual form with its parameters: these can be raised later without losing what is stored.
 */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(saltBytes);
  const tag = await tagOf(password, { ...cost, salt, tag: Buffer.alloc(tagBytes) });
  const { memory, passes, parallelism } = cost;
  return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${base64(salt)}$${base64(tag)}`;
}

/** Checks a password. Without a hash it does the same work, so that the time does not tell who has a password. */
export async function verifyPassword(password: string, hash: string | null | undefined): Promise<boolean> {
  const hashed = parse(hash ?? dummyHash);
  const tag = await tagOf(password, hashed);
  return timingSafeEqual(tag, hashed.tag) && hash !== null && hash !== undefined;
}

const base64 = (bytes: Buffer): string => bytes.toString('base64').replace(/(?<!=)=+$/, '');

const dummyHash = `$argon2id$v=19$m=${cost.memory},t=${cost.passes},p=${cost.parallelism}$${base64(randomBytes(saltBytes))}$${base64(randomBytes(tagBytes))}`;

function parse(hash: string): Hashed {
  const match = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([\w+/]+)\$([\w+/]+)$/.exec(hash);
  if (!match) throw new Error('A password hash in the store has an unknown form.');
  const [, memory, passes, parallelism, salt = '', tag = ''] = match;
  return {
    memory: Number(memory),
    passes: Number(passes),
    parallelism: Number(parallelism),
    salt: Buffer.from(salt, 'base64'),
    tag: Buffer.from(tag, 'base64'),
  };
}

async function tagOf(password: string, { memory, passes, parallelism, salt, tag }: Hashed): Promise<Buffer> {
  using _permit = await hashing.take();
  // The same characters can be typed in more than one way.
  const message = Buffer.from(password.normalize('NFC'));
  const parameters = { message, nonce: salt, memory, passes, parallelism, tagLength: tag.length };
  return Buffer.from(await derive('argon2id', parameters));
}
