/** The destination of a request. */
export interface Target {
  /** A name or an IP literal, IPv6 without brackets. */
  host: string;
  port: number;
}

/** A name of 253 characters, a dot, a port, and room for other spellings. */
const maxAuthorityLength = 1000;

/** Parses the `host:port` of a CONNECT request; undefined if it is invalid. */
export function parseTarget(authority: string): Target | undefined {
  if (authority.length > maxAuthorityLength) return undefined;
  const [, bracketed, plain, port] = /^(?:\[([\da-f:.]+)\]|([^\s:[\]@/]+)):(\d{1,5})$/i.exec(authority) ?? [];
  const host = bracketed ?? plain;
  if (host === undefined || Number(port) < 1 || Number(port) > 65_535) return undefined;
  return { host, port: Number(port) };
}

export function formatTarget({ host, port }: Target): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}
