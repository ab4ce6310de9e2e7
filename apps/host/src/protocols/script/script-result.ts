import { typeOfBytes } from './content-type.ts';

/** What a script returned, as it is sent to its caller. */
export interface ShownResult {
  type: string;
  body: Uint8Array;
}

/**
 * Shows what a script returned, as Browserless does: bytes as what they are, text as text or HTML, and everything else
 * as JSON. Bytes in `data` beside a `type` are answered as that type; in JSON they would be of no use.
 */
export function showResult(result: unknown): ShownResult {
  const bytes = bytesIn(result);
  if (bytes) return { type: typeOfBytes(bytes), body: bytes };
  if (typeof result === 'object' && result !== null) {
    const { data, type } = result as { data?: unknown; type?: unknown };
    const named = bytesIn(data);
    if (named) return { type: typeof type === 'string' ? type : typeOfBytes(named), body: named };
    return { type: 'application/json; charset=UTF-8', body: Buffer.from(JSON.stringify(result, null, 2)) };
  }
  const text = result === undefined ? '' : String(result);
  const isHtml = typeof result === 'string' && text.startsWith('<');
  return { type: `text/${isHtml ? 'html' : 'plain'}; charset=UTF-8`, body: Buffer.from(text) };
}

function bytesIn(value: unknown): Uint8Array | undefined {
  if (value instanceof ArrayBuffer) return new Uint8Array(value);
  return value instanceof Uint8Array ? value : undefined;
}
