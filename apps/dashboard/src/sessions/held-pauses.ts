/** How long the next page has to go on with a pause. */
const graceMs = 5000;

interface HeldPause {
  holder: string;
  /** Gives it back unless a page goes on with it. */
  leaving: ReturnType<typeof setTimeout> | undefined;
}

/** Pauses of clients that this document holds, by session: the live view and the inspector have one together. */
const held = new Map<string, HeldPause>();

/** Returns the holder of a pause that a page has just left. It is this page's now. */
export function takePause(id: string): string | undefined {
  const pause = held.get(id);
  if (pause) clearTimeout(pause.leaving);
  return pause?.holder;
}

export const holdPause = (id: string, holder: string): void =>
  void held.set(id, { holder, leaving: undefined });

export const dropPause = (id: string): void => void held.delete(id);

/** A page is left. Calls `giveBack` if no other page goes on with its pause. */
export function leavePause(id: string, holder: string, giveBack: () => void): void {
  const pause = held.get(id);
  if (pause?.holder !== holder) {
    giveBack();
    return;
  }
  clearTimeout(pause.leaving);
  pause.leaving = setTimeout(() => {
    dropPause(id);
    giveBack();
  }, graceMs);
}
