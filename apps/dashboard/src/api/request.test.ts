import { expect, test } from 'vitest';
import { addressOf, downloadUrl, get, type PostAnswer, post } from './request.ts';

test('parameters and filters are escaped, and empty filters are left out', () => {
  const options = { params: { id: 'a/b', name: 'x y' }, query: { text: 'a&b', status: '', from: undefined } };
  expect(addressOf('/sessions/:id/files/:name', options)).toBe('/sessions/a%2Fb/files/x%20y?text=a%26b');
  expect(downloadUrl('/api/browser/:id/receipt', { params: { id: 'br_1' } })).toBe(
    '/api/browser/br_1/receipt',
  );
  expect(downloadUrl('/bandwidth/:product/csv', { params: { product: 'residential' } })).toBe(
    '/dashboard/api/bandwidth/residential/csv',
  );
});

/** Checked by the compiler alone: every call below disagrees with the map of routes. */
export async function wrongCalls(): Promise<void> {
  // @ts-expect-error there is no such route
  await get('/session', {});
  // @ts-expect-error this route is a POST
  await get('/sign-in', {});
  // @ts-expect-error the parameter is missing
  await get('/sessions/:id', {});
  // @ts-expect-error the parameter has another name
  await get('/sessions/:id', { params: { name: 'x' } });
  // @ts-expect-error the filter has no such value
  await get('/sessions', { query: { status: 'OPEN' } });
  // @ts-expect-error the body lacks the password
  await post('/sign-in', { body: { email: 'ann@example.com' } });
  // @ts-expect-error the answer has another shape
  const answer: PostAnswer<'/user/api/regenerate-key'> = { key: 'x' };
  void answer;
}
