import { nativeCalls, requireNativeCalls } from '../switchboard/native-calls.ts';

/** Both return what was set before, and never fail: whether it worked shows when they are asked again. */
const setfsuid = nativeCalls?.libc.func('int setfsuid(unsigned int)') as (uid: number) => number;
const setfsgid = nativeCalls?.libc.func('int setfsgid(unsigned int)') as (gid: number) => number;

/** No user has this id, so that it changes nothing. */
const noId = 2 ** 32 - 1;

/**
 * Works on files with a user's rights and no more: what it makes is that user's, and what that user may not do fails,
 * whatever the host itself may do. The rights are those of the calling thread, and nothing else runs on it meanwhile:
 * so `work` must not be asynchronous. Undefined: the host's own user.
 */
export function asUser<Result>(uid: number | undefined, work: () => Result): Result {
  if (uid === undefined) return work();
  requireNativeCalls();
  const ownGroup = setfsgid(uid);
  const own = setfsuid(uid);
  try {
    if (setfsuid(noId) !== uid) throw new Error(`The system does not let the host act as user ${uid}`);
    return work();
  } finally {
    setfsuid(own);
    setfsgid(ownGroup);
  }
}
