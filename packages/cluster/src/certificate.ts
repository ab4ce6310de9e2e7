import { X509Certificate } from 'node:crypto';
import { checkServerIdentity } from 'node:tls';
import { urlHost } from '@turnpike/tunnel/addresses/url-host';

/** A certificate and how it is used. */
export interface CertificateUse {
  cert: Buffer;
  /** The cluster's authority, the only one that the other side trusts; undefined if the other side is not in the cluster. */
  ca?: Buffer;
  /** The URL that callers use. */
  url?: string | undefined;
  now: number;
}

/** Each side of a private connection acts as server and as client. */
const purposes = { '1.3.6.1.5.5.7.3.1': 'servers', '1.3.6.1.5.5.7.3.2': 'clients' } as const;

/** Says why the other side would refuse the certificate; undefined if it would not. */
export function certificateProblem({ cert, ca, url, now }: CertificateUse): string | undefined {
  const chain = certificatesIn(cert);
  const [own] = chain;
  if (!own) return 'has no certificate in it';
  if (own.validToDate.getTime() < now) return `expired on ${own.validToDate.toISOString()}`;
  if (own.validFromDate.getTime() > now) return `is valid only from ${own.validFromDate.toISOString()}`;
  if (ca && !isOf(certificatesIn(ca), chain))
    return 'is not of the authority in TURNPIKE_CLUSTER_TLS_CA, and neither are the certificates after it in the file';
  const wrongName = url && nameProblem(cert, url);
  if (wrongName) return `is not for ${url}: ${wrongName}`;
  // Node calls the extended key usage `keyUsage`.
  const { keyUsage } = own as { keyUsage?: readonly string[] };
  const lacks = Object.entries(purposes).find(([oid]) => ca && keyUsage && !keyUsage.includes(oid));
  return lacks && `cannot be used by ${lacks[1]} because of its extended key usage`;
}

/** Checks the name with the rule that callers of the URL use. */
export function nameProblem(cert: Buffer, url: string): string | undefined {
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
