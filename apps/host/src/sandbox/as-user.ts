import { nativeCalls, requireNativeCalls } from '../native/native-calls.ts';

/** Both return the id that was set before and report no failure: a second call shows whether the first worked. */
const setfsuid = nativeCalls?.libc.func('int setfsuid(unsigned int)') as (uid: number) => number;
const setfsgid = nativeCalls?.libc.func('int setfsgid(unsigned int)') as (gid: number) => number;

/** An id that no user has: setting it changes nothing and returns the present one. */
const noId = 2 ** 32 - 1;

/**
 * Runs `work` with a user's rights on files: new files belong to that user, and what that user may not do fails. The
 * rights belong to the calling thread, so `work` must be synchronous. Undefined means the host's own user.
 */
export function asUser<Result>(uid: number | undefined, work: () => Result): Result {
  if (uid === undefined) return work();
  requireNativeCalls();
  const hostGroup = setfsgid(uid);
  const hostUser = setfsuid(uid);
  try {
    if (setfsuid(noId) !== uid) throw new Error(`The system does not let the host act as user ${uid}`);
    return work();
  } finally {
    setfsuid(hostUser);
    setfsgid(hostGroup);
  }
}
