import { argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { Semaphore } from './semaphore.ts';

/** Argon2id as OWASP advises it: 19 MiB, two passes, one lane. */
const cost = { memory: 19_456, passes: 2, parallelism: 1 };
const saltBytes = 16;
const tagBytes = 32;

const derive = promisify(argon2);

/** Each takes a thread of Node's pool, which looks names up for proxies too, and 19 MiB. */
const turns = new Semaphore({ atOnce: 2, waiting: 100 });

interface Hashed {
  memory: number;
  passes: number;
  parallelism: number;
  salt: Buffer;
  tag: Buffer;
}

/** In the usual form, with its parameters: they can be raised later without losing what is stored. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(saltBytes);
  const tag = await tagOf(password, { ...cost, salt, tag: Buffer.alloc(tagBytes) });
  const { memory, passes, parallelism } = cost;
  return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${base64(salt)}$${base64(tag)}`;
}

/** Without a hash to compare with, the same work is done: the time tells nobody who has a password here. */
export async function verifyPassword(password: string, hash: string | null | undefined): Promise<boolean> {
  const hashed = parse(hash ?? nobody);
  const tag = await tagOf(password, hashed);
  return timingSafeEqual(tag, hashed.tag) && hash !== null && hash !== undefined;
}

const base64 = (bytes: Buffer): string => bytes.toString('base64').replace(/=+$/, '');

const nobody = `$argon2id$v=19$m=${cost.memory},t=${cost.passes},p=${cost.parallelism}$${base64(randomBytes(saltBytes))}$${base64(randomBytes(tagBytes))}`;

function parse(hash: string): Hashed {
  const match = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([\w+/]+)\$([\w+/]+)$/.exec(hash);
  if (!match) throw new Error('a password in the store is in no known form');
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
  using _turn = await turns.take();
  // The same characters may be typed in more than one way.
  const message = Buffer.from(password.normalize('NFC'));
  const parameters = { message, nonce: salt, memory, passes, parallelism, tagLength: tag.length };
  return Buffer.from(await derive('argon2id', parameters));
}
