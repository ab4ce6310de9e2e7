import { X509Certificate } from 'node:crypto';
import { createSecureContext } from 'node:tls';
import {
  maxSavedProxies,
  type NewSavedProxy,
  proxyChoice,
  type SavedProxy,
  type SavedProxyChange,
} from '@turnpike/contract/proxies';
import { parseProxyUrl } from '@turnpike/tunnel/addresses/proxy-url';
import type { Updateable } from 'kysely';
import { ApiError, badRequest } from '../http/api-error.ts';
import { iso, isoOrNull } from '../http/iso.ts';
import { associatedData } from '../secrets/associated-data.ts';
import { newProxyId } from '../secrets/new-ids.ts';
import { readStoredJson } from '../store/stored-json.ts';
import type { SavedProxyRow, SavedProxyTable } from '../store/tables/proxy-tables.ts';
import type { AccountRow } from '../store/tables.ts';
import type { ProxyContext } from './proxy-context.ts';
import { maskedTemplate } from './proxy-template.ts';
import {
  changeProxy,
  deleteProxy,
  findProxy,
  insertProxy,
  listProxies,
  type ProxyUsers,
  setDefault,
} from './saved-proxy-store.ts';

/** An account's operations on its saved proxies, for the API and the dashboard. */

type Owner = Pick<AccountRow, 'id' | 'default_proxy'>;

export async function listOwn({ db }: ProxyContext, account: Owner): Promise<SavedProxy[]> {
  return (await listProxies(db, account.id)).map((row) => presentProxy(row, account));
}

export async function findOwn({ db }: ProxyContext, account: Owner, name: string): Promise<SavedProxy> {
  const row = await findProxy(db, account.id, name);
  if (!row) throw new ApiError('notFound');
  return presentProxy(row, account);
}

export async function saveProxy(
  context: ProxyContext,
  account: Owner,
  { name, ...given }: NewSavedProxy,
): Promise<SavedProxy> {
  const id = newProxyId();
  const now = context.now();
  const row = {
    ...(columnsOf(context, id, given, undefined) as Partial<SavedProxyRow>),
    id,
    account_id: account.id,
    name,
    ...sealedUrl(context, id, given.url),
    tags: JSON.stringify([...new Set(given.tags)]),
    state_at: now,
    created_at: now,
    updated_at: now,
  };
  const refusal = await insertProxy(context.db, row);
  if (refusal === 'name-taken') throw nameTaken('proxy', name);
  if (refusal === 'too-many')
    throw new ApiError('tooManyProxies', { detail: `An account has up to ${maxSavedProxies} proxies.` });
  return findOwn(context, account, name);
}

export async function changeOwn(
  context: ProxyContext,
  account: Owner,
  name: string,
  { name: next, ...given }: SavedProxyChange,
): Promise<SavedProxy> {
  const now = context.now();
  const changed = await changeProxy(context.db, account.id, name, (row) => ({
    ...(next !== undefined && { name: next }),
    // What was found out about another address says nothing.
    ...(given.url !== undefined && {
      ...sealedUrl(context, row.id, given.url),
      ...unknownHealth,
      state_at: now,
    }),
    ...columnsOf(context, row.id, given, row),
    updated_at: now,
  }));
  if (changed === 'not-found') throw new ApiError('notFound');
  if (changed === 'name-taken') throw nameTaken('proxy', next ?? name);
  const renamed = account.default_proxy === `name:${name}` ? `name:${changed.name}` : account.default_proxy;
  return presentProxy(changed, { ...account, default_proxy: renamed });
}

export async function deleteOwn({ db }: ProxyContext, accountId: string, name: string): Promise<void> {
  const refusal = await deleteProxy(db, accountId, name);
  if (refusal === 'not-found') throw new ApiError('notFound');
  if (refusal) throw inUse(refusal);
}

export async function setOwnDefault(
  { db }: ProxyContext,
  accountId: string,
  proxy: string | null,
): Promise<void> {
  const choice = proxy === null ? null : proxyChoice(proxy);
  if (choice?.kind === 'url')
    throw badRequest('proxy must be name: or pool: with a name', { field: 'proxy' });
  if (!(await setDefault(db, accountId, choice)))
    throw badRequest(`There is no ${choice?.kind === 'pool' ? 'pool' : 'saved proxy'} with that name`, {
      field: 'proxy',
    });
}

export const nameTaken = (what: 'proxy' | 'pool', name: string): ApiError =>
  new ApiError('proxyNameTaken', { detail: `There is a ${what} ${name} already.`, field: 'name' });

function inUse({ sessions, pools, isDefault }: ProxyUsers): ApiError {
  const reasons = [
    ...(sessions.length > 0 ? [`Sessions use it: ${sessions.slice(0, 10).join(', ')}.`] : []),
    ...(pools.length > 0 ? [`It is in the pools ${pools.join(', ')}.`] : []),
    ...(isDefault ? ['It is the default proxy of the account.'] : []),
  ];
  return new ApiError('proxyInUse', { detail: reasons.join(' '), members: { sessions, pools, isDefault } });
}

const unknownHealth = {
  state: 'unknown',
  failures: 0,
  next_check_at: null,
  checked_at: null,
  latency_ms: null,
  exit_ip: null,
  exit_country: null,
  last_error: null,
} as const;

function sealedUrl({ sealer }: ProxyContext, id: string, text: string) {
  const url = text.trim();
  const parsed = parseProxyUrl(url);
  if (!parsed.ok) throw new ApiError('proxyInvalid', { detail: parsed.rule, field: 'url' });
  return {
    url_sealed: sealer.seal(url, associatedData.savedProxyUrl(id)),
    url_masked: maskedTemplate(parsed.proxy),
  };
}

/** What may be set besides the name and the URL. What is not given stays out. */
function columnsOf(
  { sealer }: ProxyContext,
  id: string,
  { tags, country, notes, pricePerGb, ca, trustCaInBrowser, clientCertificate }: SavedProxyChange,
  row: SavedProxyRow | undefined,
): Updateable<SavedProxyTable> {
  if (ca) checkCa(ca);
  if (clientCertificate) checkClientCertificate(clientCertificate);
  const trusts = trustCaInBrowser ?? row?.trust_ca === 1;
  if (trusts && !(ca === undefined ? row?.ca : ca))
    throw badRequest('trustCaInBrowser must come with a ca', { field: 'trustCaInBrowser' });
  return {
    ...(tags && { tags: JSON.stringify([...new Set(tags)]) }),
    ...(country !== undefined && { country }),
    ...(notes !== undefined && { notes }),
    ...(pricePerGb !== undefined && {
      price_micros: pricePerGb === null ? null : Math.round(pricePerGb * 1e6),
    }),
    ...(ca !== undefined && { ca }),
    ...(trustCaInBrowser !== undefined && { trust_ca: trustCaInBrowser ? 1 : 0 }),
    ...(clientCertificate !== undefined && {
      client_certificate: clientCertificate?.certificate ?? null,
      client_key_sealed:
        clientCertificate && sealer.seal(clientCertificate.key, associatedData.savedProxyClientKey(id)),
    }),
  };
}

const pemCertificate = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

function checkCa(pem: string): void {
  const certificates = pem.match(pemCertificate) ?? [];
  try {
    if (certificates.length === 0) throw new Error('none');
    for (const certificate of certificates) new X509Certificate(certificate);
  } catch {
    throw badRequest('ca must be one or more certificates in PEM', { field: 'ca' });
  }
}

function checkClientCertificate({ certificate, key }: { certificate: string; key: string }): void {
  try {
    createSecureContext({ cert: certificate, key });
  } catch {
    // What OpenSSL says may have a part of the key.
    throw badRequest('clientCertificate must be a certificate and its key, in PEM and without a passphrase', {
      field: 'clientCertificate',
    });
  }
}

function presentProxy(row: SavedProxyRow, account: Owner): SavedProxy {
  return {
    name: row.name,
    url: row.url_masked,
    tags: readStoredJson(row.tags) as unknown as string[],
    country: row.country,
    notes: row.notes,
    pricePerGb: row.price_micros === null ? null : row.price_micros / 1e6,
    isDefault: account.default_proxy === `name:${row.name}`,
    hasCa: row.ca !== null,
    trustCaInBrowser: row.trust_ca === 1,
    hasClientCertificate: row.client_certificate !== null,
    health: {
      state: row.state,
      since: iso(row.state_at),
      checkedAt: isoOrNull(row.checked_at),
      latencyMs: row.latency_ms,
      exitIp: row.exit_ip,
      exitCountry: row.exit_country,
      lastError: row.last_error,
    },
    createdAt: iso(row.created_at),
    updatedAt: iso(row.updated_at),
  };
}
