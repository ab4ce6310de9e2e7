import type { Snippet } from '@turnpike/contract/connect-snippets';
import { maskPassword } from '../parts/forms/mask-password.ts';
import { shellQuoted } from '../parts/values/shell-quoted.ts';

/** The same calls from a command line. */
export function pageSnippets(
  { proxy, ...asked }: Readonly<Record<string, unknown> & { proxy?: string }>,
  gateway: string,
): Snippet[] {
  const body = JSON.stringify({ ...asked, ...(proxy && { proxy: maskPassword(proxy) }) }, null, 2);
  const call = (format: string, file: string) => ({
    name: format,
    code: `curl -H "x-api-key: $TURNPIKE_API_KEY" -H 'content-type: application/json' \\
  -d ${shellQuoted(body)} \\
  -o ${file} '${gateway}/api/page/${format}'`,
  });
  return [call('markdown', 'page.md'), call('screenshot', 'page.png'), call('pdf', 'page.pdf')];
}
