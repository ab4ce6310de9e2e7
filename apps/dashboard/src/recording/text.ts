/** `7 ms`, `1.24 s`. */
export function milliseconds(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  return `${(ms / 1000).toFixed(ms < 10_000 ? 2 : 1)} s`;
}

/** An address as a list shows it: its end tells the most. */
export function shortUrl(url: string): string {
  try {
    const { host, pathname, search } = new URL(url);
    const query = search.replaceAll('%E2%80%A2', '•');
    return host === '' ? url : `${pathname === '/' ? '' : pathname}${query} · ${host}`.replace(/^ · /, '');
  } catch {
    return url;
  }
}
