import { beforeEach, expect, test } from 'vitest';
import { Controller } from '../chromium/controller.ts';
import { CacheMeter } from './cache-meter.ts';

let controller: Controller;
let meter: CacheMeter;

beforeEach(() => {
  controller = new Controller({ send: () => {} });
  controller.sessions.add('S');
  meter = new CacheMeter(controller);
});

const tell = (method: string, params: object) =>
  controller.receive(JSON.stringify({ method, params: { requestId: 'r', ...params }, sessionId: 'S' }));

interface Loaded {
  decoded: number;
  network: number;
  type?: string;
}

function load(response: object, { decoded, network, type = 'Document' }: Loaded): number {
  const before = meter.bytes;
  tell('Network.responseReceived', {
    type,
    response: { url: 'https://a.example/', headers: {}, ...response },
  });
  if (decoded > 0) tell('Network.dataReceived', { dataLength: decoded });
  tell('Network.loadingFinished', { encodedDataLength: network });
  return meter.bytes - before;
}

const length = { 'Content-Length': '1000' };

test('a response from the cache saves its body as it was sent, or as it is where that is not known', () => {
  expect(load({ fromDiskCache: true, headers: length }, { decoded: 4000, network: 0 })).toBe(1000);
  expect(load({ fromDiskCache: true }, { decoded: 4000, network: 0 })).toBe(4000);
});

test('a response that is unchanged saves all but the answer that says so', () => {
  expect(load({ remoteIPAddress: '1.2.3.4', headers: length }, { decoded: 4000, network: 150 })).toBe(850);
});

test('what came over the network, from a client or from a service worker saves nothing', () => {
  expect(load({ remoteIPAddress: '1.2.3.4', headers: length }, { decoded: 4000, network: 1200 })).toBe(0);
  expect(load({ remoteIPAddress: '1.2.3.4' }, { decoded: 4000, network: 1200 })).toBe(0);
  expect(load({ headers: length }, { decoded: 1000, network: 0 })).toBe(0);
  expect(load({ remoteIPAddress: '1.2.3.4', headers: length }, { decoded: 1000, network: 0 })).toBe(0);
  expect(load({ fromServiceWorker: true, headers: length }, { decoded: 1000, network: 0 })).toBe(0);
  expect(load({ fromDiskCache: true, headers: length, url: 'data:,' }, { decoded: 1000, network: 0 })).toBe(
    0,
  );
});

test('what came over the network is added up by type', () => {
  const remote = { remoteIPAddress: '1.2.3.4', headers: length };
  for (const type of ['Image', 'Image', 'Fetch', 'XHR', 'Ping']) {
    load(remote, { decoded: 1000, network: 1100, type });
  }
  load({ fromDiskCache: true, headers: length }, { decoded: 1000, network: 0, type: 'Script' });
  expect(meter.byType).toEqual({ image: 2200, xhr: 2200, other: 1100 });
});

test('what is no number of bytes changes nothing', () => {
  const remote = { remoteIPAddress: '1.2.3.4', headers: length };
  for (const network of ['1e999', '9e99', '"x"']) {
    tell('Network.responseReceived', { type: 'Image', response: { url: 'https://a.example/', ...remote } });
    controller.receive(
      `{"method":"Network.loadingFinished","params":{"requestId":"r","encodedDataLength":${network}},"sessionId":"S"}`,
    );
  }
  expect([meter.bytes, meter.byType]).toEqual([0, { image: 0 }]);
});

test('an answer without a body, and one that broke off, save nothing', () => {
  expect(load({ fromDiskCache: true, headers: length }, { decoded: 0, network: 0 })).toBe(0);
  tell('Network.responseReceived', {
    response: { url: 'https://a.example/', headers: length, fromDiskCache: true },
  });
  tell('Network.dataReceived', { dataLength: 10 });
  tell('Network.loadingFailed', {});
  tell('Network.loadingFinished', { encodedDataLength: 0 });
  expect(meter.bytes).toBe(0);
});
