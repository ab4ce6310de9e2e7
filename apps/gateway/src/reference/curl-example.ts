import type { Operation } from '../http/openapi/openapi.ts';

const credentials: Readonly<Record<string, string>> = {
  apiKey: 'x-api-key: $TURNPIKE_API_KEY',
  statsToken: 'Authorization: Bearer $TURNPIKE_STATS_TOKEN',
  operatorToken: 'Authorization: Bearer tpop_…',
};

const values: Readonly<Record<string, string>> = {
  '{product}': 'residential',
  '{id}': 'br_0123456789abcdef01234567',
};

/** A line to paste and change. */
export function curlExample(method: string, path: string, operation: Operation): string {
  const scheme = operation.security
    .map((names) => Object.keys(names)[0] ?? '')
    .find((name) => name in credentials);
  const body = operation.requestBody?.content['application/json']?.example;
  const url = path.replaceAll(/\{\w+\}/g, (name) => values[name] ?? name) + query(operation);
  const parts = [
    'curl',
    ...(method === 'get' || body ? [] : ['-X', method.toUpperCase()]),
    ...(scheme ? [`-H "${credentials[scheme]}"`] : []),
    ...(body ? [`--json '${JSON.stringify(body)}'`] : []),
    `"$TURNPIKE_URL${url}"`,
  ];
  return parts.join(' ');
}

/** What is required, and what a create cannot do without. */
function query({ parameters = [] }: Operation): string {
  const asked = parameters.filter(
    ({ in: place, required, name }) => place === 'query' && (required || name === 'proxy'),
  );
  const pairs = asked.map(({ name, schema }) => {
    const [example] = (schema['examples'] as string[] | undefined) ?? [];
    return `${name}=${example ?? (schema['format'] === 'date' ? '2026-11-01' : '…')}`;
  });
  return pairs.length > 0 ? `?${pairs.join('&')}` : '';
}
