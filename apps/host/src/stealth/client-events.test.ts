import { expect, test } from 'vitest';
import { exceptionThrown } from './client-events.ts';

const thrown = { isRejection: false, type: 'object', url: 'http://site.test/', line: 3, column: 7 };

function details(error: object): any {
  const { exceptionDetails } = exceptionThrown(JSON.stringify({ ...thrown, ...error }), 1) as any;
  return exceptionDetails;
}

test('an uncaught error has its class, message and place', () => {
  expect(details({ message: 'Uncaught TypeError: no function' })).toMatchObject({
    text: 'Uncaught',
    lineNumber: 2,
    columnNumber: 6,
    url: 'http://site.test/',
    exception: {
      type: 'object',
      subtype: 'error',
      className: 'TypeError',
      description: 'TypeError: no function\n    at http://site.test/:3:7',
    },
  });
});

test.each([
  ['number', 'Uncaught 5', { type: 'number', value: 5, description: '5' }],
  ['number', 'Uncaught NaN', { type: 'number', unserializableValue: 'NaN', description: 'NaN' }],
  ['string', 'Uncaught text', { type: 'string', value: 'text' }],
  ['boolean', 'Uncaught false', { type: 'boolean', value: false }],
  ['undefined', 'Uncaught undefined', { type: 'undefined', description: 'undefined' }],
])('a thrown %s is the value that it was (%s)', (type, message, exception) => {
  expect(details({ type, message }).exception).toEqual(exception);
});

test('a rejection is called one, and has no place', () => {
  const rejection = details({ isRejection: true, message: 'Error: no', url: '', line: 0, column: 0 });
  expect(rejection).toMatchObject({ text: 'Uncaught (in promise)', lineNumber: 0 });
  expect(rejection).not.toHaveProperty('stackTrace');
  expect(rejection.exception.description).toBe('Error: no');
});

test.each(['', 'null', '{}', '{"message":1,"type":"object"}', '['])('%s is not an error', (payload) => {
  expect(exceptionThrown(payload, 1)).toBeUndefined();
});
