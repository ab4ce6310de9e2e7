/** Headers that are for one hop only (RFC 9110, 7.6.1), besides those that `Connection` names. */
const hopByHop = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'upgrade',
]);

/** Takes and gives names and values in turn, as Node's `rawHeaders`: order and spelling stay. */
export function endToEnd(rawHeaders: readonly string[]): string[] {
  const named = new Set<string>();
  forEachHeader(rawHeaders, (name, value) => {
    if (name.toLowerCase() !== 'connection') return;
    for (const token of value.split(',')) named.add(token.trim().toLowerCase());
  });
  // How a body is framed is settled anew with each hop, but by Node, which must see it.
  named.delete('transfer-encoding');
  named.delete('content-length');
  const kept: string[] = [];
  forEachHeader(rawHeaders, (name, value) => {
    const lower = name.toLowerCase();
    if (!hopByHop.has(lower) && !named.has(lower)) kept.push(name, value);
  });
  return kept;
}

function forEachHeader(rawHeaders: readonly string[], visit: (name: string, value: string) => void): void {
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) visit(rawHeaders[i] ?? '', rawHeaders[i + 1] ?? '');
}
