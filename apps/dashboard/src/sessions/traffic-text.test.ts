import { expect, test } from 'vitest';
import { isUsed, proxyUseText, refusalsText, trafficText, typesText } from './traffic-text.ts';

const use = { requests: 1, tunnels: 2, bytesUp: 5120, bytesDown: 734_003, refused: {} };

test('the use of a destination is told in words, with what refused its requests', () => {
  expect(trafficText(use)).toBe('3 requests, 5.12 kB up, 734 kB down');
  expect(trafficText({ ...use, refused: { proxy_failure: 1, block_hosts: 1200 } })).toBe(
    '3 requests, 5.12 kB up, 734 kB down. Refused: 1,200 in block_hosts, 1 not carried by the proxy',
  );
});

test('nothing refused is no text, and a refusal alone is a use', () => {
  const none = { requests: 0, tunnels: 0, bytesUp: 0, bytesDown: 0, refused: {} };
  expect(refusalsText({ block: 0 })).toBe('');
  expect(isUsed(none)).toBe(false);
  expect(isUsed({ ...none, refused: { allow_hosts: 1 } })).toBe(true);
});

test('types of resources are named, the largest first', () => {
  expect(typesText({ script: 5120, image: 734_003 })).toBe('image 734 kB, script 5.12 kB');
  expect(typesText(null)).toBe('');
});

test('what a proxy has carried is one line', () => {
  const use = { proxy: 'name:shop', bytesUp: 1000, bytesDown: 2000, connections: 3 };
  expect(proxyUseText({ ...use, failures: {}, cost: null })).toBe('3 connections, 1 kB up, 2 kB down');
  expect(proxyUseText({ ...use, failures: { timeout: 1, tls: 1 }, cost: 0.5 })).toBe(
    '3 connections, 2 failed, 1 kB up, 2 kB down, cost 0.50',
  );
});
