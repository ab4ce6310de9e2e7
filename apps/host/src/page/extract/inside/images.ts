/** Where pages that load images late keep the address. */
const lazyNames = [
  'data-src',
  'data-original',
  'data-lazy-src',
  'data-original-src',
  'data-actualsrc',
  'data-hi-res-src',
  'data-lazyload',
  'data-url',
];
const lazySets = ['data-srcset', 'data-lazy-srcset'];

/** The address of an image, which may be relative. A placeholder is none if the real address is known. */
export function imageAddress(image: Element): string | undefined {
  const source = image.getAttribute('src')?.trim();
  const lazy = lazyAddress(image);
  if (source && !isPlaceholder(source)) return source;
  const found = lazy ?? largestOf(image.getAttribute('srcset')) ?? pictureAddress(image);
  return found ?? (source?.startsWith('data:') ? undefined : source || undefined);
}

function isPlaceholder(source: string): boolean {
  return (
    source.startsWith('data:') ||
    source.startsWith('about:') ||
    /(?:blank|spacer|placeholder|lazy|1x1|pixel)\.(?:gif|png|svg)/i.test(source)
  );
}

function lazyAddress(image: Element): string | undefined {
  for (const name of lazyNames) {
    const value = image.getAttribute(name)?.trim();
    if (value && /^(?:https?:|\/|\.|[\w-]+\/|[\w%-]+\.\w)/.test(value)) return value;
  }
  for (const name of lazySets) {
    const found = largestOf(image.getAttribute(name));
    if (found) return found;
  }
  return undefined;
}

function pictureAddress(image: Element): string | undefined {
  const picture = image.parentElement;
  if (picture?.localName !== 'picture') return undefined;
  for (const source of picture.querySelectorAll('source')) {
    const found = largestOf(source.getAttribute('srcset') ?? source.getAttribute('data-srcset'));
    if (found) return found;
  }
  return undefined;
}

/** The largest of a `srcset`. Addresses may contain commas, so candidates end at a comma that white space follows. */
export function largestOf(set: string | null): string | undefined {
  if (!set) return undefined;
  let best: { address: string; size: number } | undefined;
  for (const candidate of set.slice(0, 100_000).split(/,\s+/)) {
    const [address = '', size = '1x'] = candidate.trim().split(/\s+/);
    if (address === '' || address.startsWith('data:')) continue;
    const value = Number.parseFloat(size) || 0;
    if (!best || value > best.size) best = { address: address.replace(/,$/, ''), size: value };
  }
  return best?.address;
}

export function isTrackingPixel(image: Element): boolean {
  const width = image.getAttribute('width');
  const height = image.getAttribute('height');
  return width !== null && height !== null && /^[0-2](?:px)?$/.test(width) && /^[0-2](?:px)?$/.test(height);
}
