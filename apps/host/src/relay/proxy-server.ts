/** A longer one is refused before it is read. */
const maxLength = 2500;

const several = 'names several proxies, and a context has one';

const defaultPorts: Readonly<Record<string, string>> = { http: '80', https: '443', socks5: '1080' };

export type ProxyServer = { proxy: string } | { refusal: string };

/**
 * Reads the `proxyServer` of a context, as Chromium and its libraries write it, into what a create's `proxy` may be:
 * `http://host:port`, `socks5://user:password@host:port`, `name:shop`. Chromium's lists, by scheme or of several
 * proxies, are refused unless all are the same: a context has one. WebDriver BiDi writes such a list.
 */
export function readProxyServer(text: string): ProxyServer {
  if (text.length > maxLength) return refuse('is too long');
  // Playwright takes nothing that is not written as a URL.
  const named = /^(name|pool):(?:\/\/)?([^/]*)\/?$/.exec(text);
  if (named) return { proxy: `${named[1]}:${named[2]}` };
  if (/^(?:http|https|socks)=/.test(text)) {
    const [first = '', ...others] = text
      .split(';')
      .map((entry) => entry.replace(/^(?:http|https|socks)=/, ''));
    return others.every((other) => other === first) ? readProxyServer(first) : refuse(several);
  }
  const scheme = /^([a-z][a-z0-9+.-]*):\/\//i.exec(text)?.[1]?.toLowerCase();
  const rest = (scheme === undefined ? text : text.slice(scheme.length + 3)).replace(/\/$/, '');
  const at = rest.lastIndexOf('@');
  const address = rest.slice(at + 1);
  if (/[;,=\s]/.test(address)) return refuse(several);
  if (scheme === 'direct') return refuse('names none, and all traffic goes through a proxy');
  const known = scheme === undefined ? 'http' : scheme === 'socks' ? 'socks5' : scheme;
  const hasPort = /:\d+$/.test(address) && !address.endsWith(']');
  const port = hasPort || !(known in defaultPorts) ? '' : `:${defaultPorts[known]}`;
  return { proxy: `${known}://${rest}${port}` };
}

function refuse(what: string): ProxyServer {
  return {
    refusal: `proxyServer ${what}. Use http://host:port, https://host:port, socks5://host:port, name:<saved proxy> or pool:<pool>.`,
  };
}
