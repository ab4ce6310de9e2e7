/** Loads koffi, which calls the C library directly. It has a binary for each system, so it may not load on every one. */
async function load() {
  const { default: koffi } = await import('koffi');
  return { koffi, libc: koffi.load('libc.so.6') };
}

type NativeCalls = Awaited<ReturnType<typeof load>>;

const loaded: NativeCalls | Error = await load().catch((error: Error) => error);

/** The native call layer; undefined where it cannot be loaded. */
export const nativeCalls: NativeCalls | undefined = loaded instanceof Error ? undefined : loaded;

/** Why there is none. */
export const nativeCallsError: Error | undefined = loaded instanceof Error ? loaded : undefined;

/** Throws where the native call layer cannot be loaded. */
export function requireNativeCalls(): NativeCalls {
  if (nativeCalls) return nativeCalls;
  throw new Error('The native call layer (koffi) cannot be loaded on this system', {
    cause: nativeCallsError,
  });
}
