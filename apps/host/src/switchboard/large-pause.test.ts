import { expect, test } from 'vitest';
import { withoutRequest } from './large-pause.ts';

const read = (message: object | string) => {
  const bytes = Buffer.from(typeof message === 'string' ? message : JSON.stringify(message));
  return withoutRequest(bytes, 0, bytes.length, 'S');
};

test('a paused request keeps its id and its CDP session, and nothing of its body', () => {
  const request = { url: 'http://a.example/', method: 'POST', headers: {}, postData: 'x'.repeat(1000) };
  const event = {
    method: 'Fetch.requestPaused',
    params: { requestId: 'interception-job-1.0', request, frameId: 'F', resourceType: 'Fetch' },
    sessionId: 'S',
  };
  expect(JSON.parse(read(event) ?? '')).toEqual({
    method: 'Fetch.requestPaused',
    params: {
      requestId: 'interception-job-1.0',
      request: { url: '', method: '', headers: {} },
      frameId: '',
      resourceType: 'Other',
    },
    sessionId: 'S',
  });
});

test('other messages stay dropped', () => {
  expect(read({ id: 1, result: { requestId: 'interception-job-1.0' }, sessionId: 'S' })).toBeUndefined();
  expect(read({ method: 'Network.dataReceived', params: { requestId: '1' } })).toBeUndefined();
  expect(read('{"method":"Fetch.requestPaused","params":{"requestId":"\\u0000"}}')).toBeUndefined();
});
