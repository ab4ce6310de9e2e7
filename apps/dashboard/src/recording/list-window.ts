/** Which rows of a long list are in the document: those in sight and a few around them. */
export interface ListWindow {
  from: number;
  /** After the last. */
  to: number;
}

const around = 8;

export function listWindow(scrollTop: number, height: number, rowHeight: number, count: number): ListWindow {
  const first = Math.floor(scrollTop / rowHeight);
  const last = Math.ceil((scrollTop + height) / rowHeight);
  const to = Math.max(0, Math.min(count, last + around));
  return { from: Math.max(0, Math.min(first - around, to)), to };
}

/** Where to scroll so that a row is in sight; undefined if it is. Rows far away come to the middle. */
export function scrollTo(
  row: number,
  { scrollTop, height, rowHeight }: { scrollTop: number; height: number; rowHeight: number },
): number | undefined {
  const [top, bottom] = [row * rowHeight, (row + 1) * rowHeight];
  if (top >= scrollTop && bottom <= scrollTop + height) return undefined;
  const isFar = bottom < scrollTop - height || top > scrollTop + 2 * height;
  if (isFar) return Math.max(0, top - (height - rowHeight) / 2);
  return top < scrollTop ? top : bottom - height;
}
