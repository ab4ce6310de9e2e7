import { isProduct, type Product, products, unknownCountry } from '@turnpike/contract/bandwidth';
import { utcDay } from '@turnpike/contract/calendar';
import { checkJsonDepth } from '@turnpike/process/bounded-json';
import { isObject } from '../http/json-body.ts';

/** A usage record of a proxy fleet, parsed. Its account is looked up later. */
export interface UsageRecord {
  id: string;
  /** An account's id or e-mail address, or a proxy user name. */
  owner: { account: string } | { proxyUser: string };
  product: Product;
  country: string;
  bytes: bigint;
  day: string;
}

export type ParsedRecord =
  | { ok: true; record: UsageRecord }
  | { ok: false; id: string | undefined; reason: string };

const maxNameLength = 200;
const maxBytes = 10n ** 18n;
const earliest = Date.UTC(2000, 0, 1);
/** The clocks of a fleet may be a little ahead. */
const maxAheadMs = 86_400_000;

export function parseUsageRecord(value: unknown, now: number): ParsedRecord {
  if (!isObject(value)) return { ok: false, id: undefined, reason: 'must be a JSON object' };
  const id = typeof value['id'] === 'string' ? value['id'] : undefined;
  const refuse = (reason: string): ParsedRecord => ({ ok: false, id, reason });
  if (id === undefined || id === '' || id.length > maxNameLength)
    return refuse(`id must be a text of 1 to ${maxNameLength} characters`);
  if (!isStorable(id)) return refuse(`id ${unstorable}`);
  const { account, proxyUser, product } = value;
  const owner = ownerOf(account, proxyUser);
  if (!owner) return refuse('account or proxyUser must be given, and only one of them');
  const name = 'account' in owner ? owner.account : owner.proxyUser;
  if (!isStorable(name)) return refuse(`account or proxyUser ${unstorable}`);
  if (typeof product !== 'string' || !isProduct(product))
    return refuse(`product must be one of ${products.join(', ')}`);
  const country = countryOf(value['country']);
  if (!country) return refuse('country must be two letters (ISO 3166-1)');
  const bytes = bytesOf(value['bytes']);
  if (bytes === undefined) return refuse(`bytes must be a whole number from 0 to ${maxBytes}`);
  const at = timeOf(value['at']);
  if (at === undefined || at < earliest)
    return refuse('at must be an ISO 8601 time with a zone, or milliseconds since 1970');
  if (at > now + maxAheadMs) return refuse('at lies in the future');
  return { ok: true, record: { id, owner, product, country, bytes, day: utcDay(at) } };
}

/** The store accepts no NUL and no half of a character; one such record must not fail its whole batch. */
const isStorable = (text: string): boolean => !text.includes('\0') && text.isWellFormed();
const unstorable = 'must hold no NUL and no half of a surrogate pair';

const isName = (value: unknown): value is string =>
  typeof value === 'string' && value !== '' && value.length <= maxNameLength;

function ownerOf(account: unknown, proxyUser: unknown): UsageRecord['owner'] | undefined {
  const [hasAccount, hasUser] = [account, proxyUser].map((value) => value !== undefined && value !== null);
  if (hasAccount === hasUser) return undefined;
  if (isName(account)) return { account };
  return isName(proxyUser) ? { proxyUser } : undefined;
}

function countryOf(value: unknown): string | undefined {
  if (value === undefined || value === null) return unknownCountry;
  return typeof value === 'string' && /^[A-Za-z]{2}$/.test(value) ? value.toUpperCase() : undefined;
}

/** Accepts numbers past 2^53 as text or as bigints, see `parseExactly`. */
function bytesOf(value: unknown): bigint | undefined {
  const whole =
    typeof value === 'bigint' ||
    (typeof value === 'number' && Number.isSafeInteger(value)) ||
    (typeof value === 'string' && /^\d{1,19}$/.test(value));
  if (!whole) return undefined;
  const bytes = BigInt(value as bigint | number | string);
  return bytes >= 0n && bytes <= maxBytes ? bytes : undefined;
}

const isoTime = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:?\d{2})$/;

function timeOf(value: unknown): number | undefined {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? value : undefined;
  if (typeof value !== 'string' || !isoTime.test(value)) return undefined;
  const at = Date.parse(value);
  return Number.isNaN(at) ? undefined : at;
}

/**
 * Parses JSON. Whole numbers past 2^53 become bigints instead of losing digits; much longer ones, which nobody counts,
 * take too long to read. Bounded in depth, for revivers recurse.
 */
export function parseExactly(text: string): unknown {
  checkJsonDepth(text);
  if (!/\d{16}/.test(text)) return JSON.parse(text);
  // The `context` parameter is missing from the types of `JSON.parse`.
  const reviver = (_key: string, value: unknown, context?: { source?: string }): unknown => {
    const source = context?.source ?? '';
    return typeof value === 'number' && !Number.isSafeInteger(value) && /^\d{1,25}$/.test(source)
      ? BigInt(source)
      : value;
  };
  return JSON.parse(text, reviver);
}
