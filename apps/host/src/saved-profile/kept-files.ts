/**
 * What of a browser's profile is saved, by its path below the profile's directory: cookies, local storage and
 * IndexedDB, with the table of storage buckets that the IndexedDB of embedded sites is found by. Nothing else, so that
 * no setting and no cache of one session reaches the next.
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
const onTheWay = /^Default(?:\/(?:Network|WebStorage(?:\/\d+)?))?$/;

export const isKept = (path: string): boolean => kept.test(path);

/** Whether there may be something to keep below a directory. */
export const mayHoldKept = (path: string): boolean => kept.test(path) || onTheWay.test(path);
