import type { Mask } from './mask.ts';
import { maxSecretLength } from './secret-set.ts';

/** What an address that Chromium makes a title of may lack at its start. */
const prefixes = ['', 'http://', 'https://', 'http://www.', 'https://www.', 'ftp://', 'file://'];
const minAddressLength = 4;

/**
 * Masks a title. Chromium titles a page that has none with its address, without the scheme and user; and pages put
 * addresses into titles themselves. So what stands between spaces and could be an address is masked as one: there a
 * secret is known by the name before it, however short it is.
 */
export function maskTitle(mask: Mask, title: string, url: string, maxLength: number): string {
  const start = title.slice(0, 4 * maxLength + maxSecretLength);
  // Chromium decodes addresses for people, so that there may be spaces in one.
  const isAddress = prefixes.some((prefix) => url.startsWith(prefix + start.slice(0, minAddressLength)));
  const shown =
    isAddress && start.length >= minAddressLength
      ? mask.url(start)
      : start.replace(/[^\s]+/g, (word) =>
          /[/?#;]/.test(word) && /[=@]/.test(word) ? mask.url(word) : word,
        );
  return mask.text(shown, maxLength);
}
