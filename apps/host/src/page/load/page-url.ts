import { PageError } from '../page-error.ts';

const schemes = new Set(['http:', 'https:']);

/** Returns the address as it is opened. Files, settings pages and scripts are no pages. */
export function checkPageUrl(text: string): string {
  const url = URL.parse(text);
  if (url?.href === 'about:blank') return url.href;
  if (!url || !schemes.has(url.protocol) || url.hostname === '')
    throw new PageError(
      'PAGE_URL',
      'url must be an address with http or https, such as https://example.com.',
    );
  return url.href;
}
