import type { Socket } from 'node:net';

/** Each side's end is passed on; when one is gone the other follows as soon as it has written what it has. */
export function join(one: Socket, other: Socket): void {
  for (const [from, to] of [
    [one, other],
    [other, one],
  ] as const) {
    from.pipe(to);
    from.once('close', () => to.destroySoon());
    if (from.destroyed) to.destroySoon();
  }
}
