import type { FastifyReply } from 'fastify';

const maxHeaderLength = 4000;

/** Says what a request asked for and does not get: a JSON list of sentences, in ASCII. */
export function showWarnings(reply: FastifyReply, warnings: readonly string[]): void {
  if (warnings.length === 0) return;
  const kept = [...warnings];
  while (kept.length > 1 && asAscii(kept).length > maxHeaderLength) kept.pop();
  const text = asAscii(kept);
  if (text.length <= maxHeaderLength) reply.header('x-turnpike-warnings', text);
}

const asAscii = (texts: readonly string[]): string =>
  JSON.stringify(texts).replace(
    /[^ -~]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
