import type { Protocol } from 'devtools-protocol';
import { expect, it } from 'vitest';
import { RequestRules } from './request-rules.ts';

const paused = (url: string, resourceType: Protocol.Network.ResourceType, frameId = 'main') =>
  ({ requestId: '1', request: { url }, resourceType, frameId }) as Protocol.Fetch.RequestPausedEvent;

it('pauses only what a rule is about', () => {
  expect(new RequestRules({}).interception()).toBeUndefined();
  const types = new RequestRules({ rejectResourceTypes: ['image', 'xhr'] as never[] });
  expect(types.interception()).toEqual({ patterns: [{ resourceType: 'Image' }, { resourceType: 'XHR' }] });
  expect(new RequestRules({}).interception(true)).toEqual({ patterns: [{ resourceType: 'Document' }] });
  const patterns = new RequestRules({ rejectRequestPattern: ['x'] });
  expect(patterns.interception()?.patterns).toEqual([{ urlPattern: '*' }]);
});

it('refuses by type and by expression, but never the page itself', async () => {
  const rules = new RequestRules({
    rejectResourceTypes: ['image', 'document'] as never[],
    rejectRequestPattern: ['^https://ads\\.', '\\.mp4$'],
  });
  const refuses = (...args: Parameters<typeof paused>) => rules.refuses(paused(...args), 'main');
  expect(await refuses('https://a.test/x.png', 'Image')).toBe(true);
  expect(await refuses('https://ads.test/x', 'Script')).toBe(true);
  expect(await refuses('https://a.test/x.mp4', 'Media')).toBe(true);
  expect(await refuses('https://a.test/x.js', 'Script')).toBe(false);
  expect(await refuses('https://ads.test/', 'Document')).toBe(false);
  expect(await refuses('https://a.test/', 'Document', 'frame')).toBe(true);
});

it('names an expression that cannot be used', () => {
  expect(() => new RequestRules({ rejectRequestPattern: ['(?=a)'] })).toThrow('which RE2 does not read');
  expect(() => new RequestRules({ rejectRequestPattern: ['(a|b|c){900}d{90}'] })).toThrow('too long');
});
