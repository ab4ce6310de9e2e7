/** The tags of an Accept-Language value, the most preferred first, without `*`. */
export function languageTags(acceptLanguage: string): string[] {
  const ranges = acceptLanguage.split(',').map((range) => {
    const [tag = '', quality] = range.split(';').map((part) => part.trim());
    return { tag, quality: quality === undefined ? 1 : Number(quality.replace(/^q=/, '')) };
  });
  const wanted = ranges
    .filter(({ tag, quality }) => tag !== '' && tag !== '*' && quality > 0)
    .sort((a, b) => b.quality - a.quality)
    .map(({ tag }) => canonical(tag));
  return [...new Set(wanted)];
}

function canonical(tag: string): string {
  try {
    return Intl.getCanonicalLocales(tag)[0] ?? tag;
  } catch {
    return tag; // Valid in the header, but not as a locale.
  }
}

/** The first of these tags that `Intl` supports; undefined means none. */
export function localeFor(tags: readonly string[]): string | undefined {
  return tags.find((tag) => {
    try {
      return Intl.DateTimeFormat.supportedLocalesOf(tag).length > 0;
    } catch {
      return false;
    }
  });
}

/**
 * Adds each language itself after the last of its regional forms, as Chromium does for its own requests
 * (`HttpUtil::ExpandLanguageList`), so that pages report the same list.
 */
export function withBases(tags: readonly string[]): string[] {
  const base = (tag: string | undefined) => tag?.split('-', 1)[0] ?? '';
  const written = tags.flatMap((tag, index) =>
    base(tag) === base(tags[index + 1]) || /^[xi]$/.test(base(tag)) ? [tag] : [tag, base(tag)],
  );
  return [...new Set(written)];
}

/** The header as Chromium writes it: each language has a quality 0.1 lower than the one before, down to 0.1. */
export function acceptLanguage(tags: readonly string[]): string {
  return tags.map((tag, index) => (index === 0 ? tag : `${tag};q=0.${Math.max(1, 10 - index)}`)).join();
}
