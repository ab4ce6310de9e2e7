import { X509Certificate } from 'node:crypto';
import { checkServerIdentity } from 'node:tls';
import { urlHost } from '../url-host.ts';

/** What whoever is called with a certificate, or calls with it, would object to; undefined: nothing. */
export interface CertificateUse {
  cert: Buffer;
  /** Of the cluster, which the other side trusts alone; undefined: it trusts who it likes. */
  ca?: Buffer;
  /** By which it is called. */
  url?: string | undefined;
  now: number;
}

/** Each side of a private connection is a server at one time and a client at another. */
const purposes = { '1.3.6.1.5.5.7.3.1': 'servers', '1.3.6.1.5.5.7.3.2': 'clients' } as const;

export function certificateTrouble({ cert, ca, url, now }: CertificateUse): string | undefined {
  const chain = certificatesIn(cert);
  const [own] = chain;
  if (!own) return 'has no certificate in it';
  if (own.validToDate.getTime() < now) return `expired on ${own.validToDate.toISOString()}`;
  if (own.validFromDate.getTime() > now) return `is valid only from ${own.validFromDate.toISOString()}`;
  if (ca && !isOf(certificatesIn(ca), chain))
    return 'is not of the authority in TURNPIKE_CLUSTER_TLS_CA, nor is what follows it in the file';
  const wrongName = url && nameTrouble(cert, url);
  if (wrongName) return `is not for ${url}: ${wrongName}`;
  // Node's name for what the certificate calls its extended key usage.
  const { keyUsage } = own as { keyUsage?: readonly string[] };
  const lacks = Object.entries(purposes).find(([oid]) => ca && keyUsage && !keyUsage.includes(oid));
  return lacks && `may not be used by ${lacks[1]}, says its extended key usage`;
}

/** By the rule that a caller of the URL goes by. */
export function nameTrouble(cert: Buffer, url: string): string | undefined {
  const error = checkServerIdentity(urlHost(new URL(url)), new X509Certificate(cert).toLegacyObject());
  return error && ((error as { reason?: string }).reason ?? error.message);
}

export function validUntil(cert: Buffer): Date {
  return new X509Certificate(cert).validToDate;
}

function isOf(authorities: readonly X509Certificate[], chain: readonly X509Certificate[]): boolean {
  return chain.every((certificate, index) =>
    [...authorities, ...chain.slice(index + 1)].some(
      (issuer) => certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey),
    ),
  );
}

function certificatesIn(pem: Buffer): X509Certificate[] {
  const blocks = pem.toString('latin1').match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g);
  return (blocks ?? []).map((block) => new X509Certificate(block));
}
