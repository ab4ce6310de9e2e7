import { expect, test } from 'vitest';
import { firstBytes, lastBytes, withoutBody } from './large-pause.ts';

const read = (message: object | string) => {
  const bytes = Buffer.from(typeof message === 'string' ? message : JSON.stringify(message));
  return withoutBody(bytes.subarray(0, firstBytes), bytes.subarray(-lastBytes), 'S');
};

const eventOf = (request: object) => ({
  method: 'Fetch.requestPaused',
  params: {
    requestId: 'interception-job-1.0',
    request: {
      url: 'http://a.example/',
      method: 'POST',
      headers: {},
      ...request,
      postData: 'x'.repeat(100_000),
      hasPostData: true,
      postDataEntries: [{ bytes: 'eA==' }],
    },
    frameId: 'F',
    resourceType: 'Fetch',
    networkId: '1.2',
  },
  sessionId: 'S',
});

test.each([
  {},
  { url: 'http://a.example/?},"frameId":"G","postData":"x"}' },
  { headers: { postData: ',"postData":', Referer: 'http://ü.example/\\"', a: '{[' } },
  { url: 'http://a.example/', urlFragment: '#a' },
])('a paused request keeps all but its body: %o', (request) => {
  const { method, params } = eventOf(request);
  const { postData, hasPostData, postDataEntries, ...kept } = params.request;
  const { networkId, ...others } = params;
  expect(JSON.parse(read({ method, params, sessionId: 'S' }) ?? '')).toEqual({
    method,
    params: { ...others, request: kept },
    sessionId: 'S',
  });
});

test('a paused request whose address does not end within the beginning keeps its id, so that it can be answered', () => {
  const event = eventOf({ url: `http://a.example/${'y'.repeat(firstBytes)}` });
  expect(JSON.parse(read(event) ?? '').params).toEqual({
    requestId: 'interception-job-1.0',
    request: { url: '', method: '', headers: {} },
    frameId: 'F',
    resourceType: 'Fetch',
  });
});

test('other messages stay dropped', () => {
  expect(read({ id: 1, result: { requestId: 'interception-job-1.0' }, sessionId: 'S' })).toBeUndefined();
  expect(read({ method: 'Network.dataReceived', params: { requestId: '1' } })).toBeUndefined();
  expect(read('{"method":"Fetch.requestPaused","params":{"requestId":"\\u0000"}}')).toBeUndefined();
});
