/**
 * The files of a browser's profile that are saved, by their path below the profile's directory: cookies, local storage
 * and IndexedDB, with the table of storage buckets that Chromium needs to find the IndexedDB of embedded sites. Nothing
 * else, so that no setting and no cache of one session reaches the next.
 */
const kept = new RegExp(
  `^Default/(?:${[
    '(?:Network/)?Cookies(?:-journal|-wal|-shm)?',
    'Local Storage',
    'IndexedDB',
    'WebStorage/QuotaManager(?:-journal|-wal|-shm)?',
    String.raw`WebStorage/\d+/IndexedDB`,
  ].join('|')})(?:/|$)`,
);
const parents = /^Default(?:\/(?:Network|WebStorage(?:\/\d+)?))?$/;

export const isKept = (path: string): boolean => kept.test(path);

/** Whether a directory may contain files to save. */
export const mayHoldKept = (path: string): boolean => kept.test(path) || parents.test(path);
