/** Which files of a browser's profile are saved, by their path below the profile's directory. */
export interface KeptFiles {
  has(path: string): boolean;
  /** Whether a directory may contain files to save. */
  mayHold(path: string): boolean;
}

const storage =
  /^Default\/(?:Local Storage|IndexedDB|WebStorage\/(?:QuotaManager(?:-journal|-wal|-shm)?|\d+\/IndexedDB))(?:\/|$)/;
const cookies = /^Default\/(?:Network\/)?Cookies(?:-journal|-wal|-shm)?(?:\/|$)/;
const isKept = (path: string): boolean => storage.test(path) || cookies.test(path);
const parents = /^Default(?:\/(?:Network|WebStorage(?:\/\d+)?))?$/;

/**
 * Cookies, local storage and IndexedDB, with the table of storage buckets that Chromium needs to find the IndexedDB of
 * embedded sites. Nothing else, so that no setting and no cache of one session reaches the next.
 */
export const profileFiles: KeptFiles = {
  has: isKept,
  mayHold: (path) => isKept(path) || parents.test(path),
};

/** The same of a browser that runs, but for cookies: those of the last half minute are in its memory alone. */
export const runningFiles: KeptFiles = {
  has: (path) => storage.test(path),
  mayHold: (path) => storage.test(path) || parents.test(path),
};
