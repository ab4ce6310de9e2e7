import type { ProxyCheck, SavedProxy, SavedProxyChange } from '@turnpike/contract/proxies';
import { countryName } from '../parts/values/figures.ts';

/** Where a proxy came out last; before that, where it should. */
export function exitText({
  country,
  health: { exitIp, exitCountry },
}: Pick<SavedProxy, 'country' | 'health'>): string {
  const place = exitCountry ?? country;
  return [place && countryName(place), exitIp].filter(Boolean).join(', ') || '–';
}

/** What a check has found. */
export function checkText({ ok, latencyMs, exitIp, exitCountry, fetched, error }: ProxyCheck): string {
  if (!ok) return `It failed: ${error ?? 'no reason is known'}`;
  const exit = [exitIp, exitCountry && countryName(exitCountry)].filter(Boolean).join(', ');
  return [
    latencyMs === null ? 'It works' : `It works: ${latencyMs} ms`,
    exit && `exit ${exit}`,
    fetched && `status ${fetched.status} after ${fetched.firstByteMs} ms`,
  ]
    .filter(Boolean)
    .join('; ');
}

export interface ProxyForm {
  name: string;
  url: string;
  tags: string;
  country: string;
  price: string | number;
  notes: string;
  ca: string;
  trustCa: boolean;
  certificate: string;
  key: string;
}

export const formOf = (proxy?: SavedProxy): ProxyForm => ({
  name: proxy?.name ?? '',
  url: '',
  tags: proxy?.tags.join(', ') ?? '',
  country: proxy?.country ?? '',
  price: proxy?.pricePerGb ?? '',
  notes: proxy?.notes ?? '',
  ca: '',
  trustCa: proxy?.trustCaInBrowser ?? false,
  certificate: '',
  key: '',
});

/** What the form asks for. Secrets that were left empty stay as they are. */
export function changeOf(form: ProxyForm): SavedProxyChange {
  const { name, url, ca, trustCa, certificate, key } = form;
  const tags = form.tags.split(',').map((tag) => tag.trim());
  return {
    name: name.trim(),
    tags: tags.filter((tag) => tag !== ''),
    country: form.country.trim().toUpperCase() || null,
    notes: form.notes.trim() || null,
    pricePerGb: form.price === '' ? null : Number(form.price),
    trustCaInBrowser: trustCa,
    ...(url.trim() !== '' && { url: url.trim() }),
    ...(ca.trim() !== '' && { ca }),
    ...((certificate.trim() !== '' || key.trim() !== '') && { clientCertificate: { certificate, key } }),
  };
}
