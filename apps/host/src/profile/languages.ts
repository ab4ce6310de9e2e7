/** Tags of an Accept-Language value, the most wanted first; `*` says nothing and is left out. */
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
    return tag; // Well-formed as a header, though not as a locale.
  }
}

/** The locale that `Intl` can use for the first of these tags; undefined: none of them. */
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
 * With each language itself behind the last of its regional forms: so Chromium writes any list to the requests
 * that are its own (`HttpUtil::ExpandLanguageList`), and what pages say is to be the same.
 */
export function withBases(tags: readonly string[]): string[] {
  const base = (tag: string | undefined) => tag?.split('-', 1)[0] ?? '';
  const written = tags.flatMap((tag, index) =>
    base(tag) === base(tags[index + 1]) || /^[xi]$/.test(base(tag)) ? [tag] : [tag, base(tag)],
  );
  return [...new Set(written)];
}

/** As Chromium writes it: each language a tenth less wanted than the one before, down to a tenth. */
export function acceptLanguage(tags: readonly string[]): string {
  return tags.map((tag, index) => (index === 0 ? tag : `${tag};q=0.${Math.max(1, 10 - index)}`)).join();
}
