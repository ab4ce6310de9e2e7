import policies from './policies.json' with { type: 'json' };

/**
 * The policies of a browser that trusts authorities besides the usual ones, as Chromium reads them. It reads them at its
 * start, so such a browser is started for its session. `bundle`: certificates in PEM.
 */
export function policiesTrusting(bundle: string): Buffer {
  const blocks = bundle.matchAll(/-----BEGIN CERTIFICATE-----([A-Za-z0-9+/=\s]+)-----END CERTIFICATE-----/g);
  const certificates = Array.from(blocks, ([, base64 = '']) => base64.replace(/\s/g, ''));
  return Buffer.from(JSON.stringify({ ...policies, CACertificates: certificates }));
}
