import type { Snippet } from '@turnpike/contract/connect-snippets';
import { camelCase, snakeCase } from '@turnpike/contract/create-parameters';
import { shellQuoted } from '../parts/values/shell-quoted.ts';

/** The same create as code: curl, and the clients' languages. */
export function createSnippets(body: Readonly<Record<string, unknown>>, gateway: string): Snippet[] {
  return [
    {
      name: 'curl',
      code: `curl -H "x-api-key: $TURNPIKE_API_KEY" -H 'content-type: application/json' \\
  -d ${shellQuoted(JSON.stringify(body, null, 2))} \\
  '${gateway}/api/browser/create'`,
    },
    {
      name: 'Node',
      code: `import { Turnpike } from 'turnpike-client';

const turnpike = new Turnpike({
  endpoint: '${gateway}',
  apiKey: process.env.TURNPIKE_API_KEY,
});
const session = await turnpike.create(${objectLiteral(body)});
console.log(session.browserId, session.cdpUrl);`,
    },
    {
      name: 'Python',
      code: `import os

from turnpike import Turnpike

with Turnpike("${gateway}", os.environ["TURNPIKE_API_KEY"]) as turnpike:
    session = turnpike.create(${keywordArguments(body)})
    print(session.browser_id, session.cdp_url)`,
    },
  ];
}

function objectLiteral(body: Readonly<Record<string, unknown>>): string {
  const members = Object.entries(body).map(
    ([name, value]) => `  ${camelCase(name)}: ${JSON.stringify(value)},`,
  );
  return members.length ? `{\n${members.join('\n')}\n}` : '{}';
}

function keywordArguments(body: Readonly<Record<string, unknown>>): string {
  const given = Object.entries(body).map(
    ([name, value]) => `        ${snakeCase(name)}=${pythonLiteral(value)},`,
  );
  return given.length ? `\n${given.join('\n')}\n    ` : '';
}

export function pythonLiteral(value: unknown): string {
  if (value === null || value === undefined) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (Array.isArray(value)) return `[${value.map(pythonLiteral).join(', ')}]`;
  if (typeof value === 'object') {
    return `{${Object.entries(value)
      .map(([key, member]) => `${JSON.stringify(key)}: ${pythonLiteral(member)}`)
      .join(', ')}}`;
  }
  return JSON.stringify(value);
}
