import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  accountPageRoutes,
  apiRoutes,
  operatorPageRoutes,
  operatorRoutes,
  peopleRoutes,
  sharedRecordingRoutes,
} from '@turnpike/contract/dashboard/routes';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { call, startGatewayOn, type TestGateway } from '../fixtures/gateway/gateway.ts';
import { type ScratchDirectory, scratchDirectory } from '../fixtures/process/scratch-directory.ts';
import { watchLeaks } from '../fixtures/suite/leaks.ts';

watchLeaks();

let gateway: TestGateway;
let directory: ScratchDirectory;

beforeAll(async () => {
  directory = await scratchDirectory('pages');
  await mkdir(join(directory.path, 'assets'));
  await writeFile(join(directory.path, 'index.html'), '<!doctype html><title>Turnpike</title>');
  await writeFile(join(directory.path, 'assets/index-abc.js'), `console.log(${'1'.repeat(5000)})`);
  await writeFile(join(directory.path, 'favicon.svg'), '<svg xmlns="http://www.w3.org/2000/svg"/>');
  await writeFile(join(directory.path, '.sources'), 'not to be served');
  gateway = await startGatewayOn('sqlite', { dashboardDirectory: directory.path });
});

afterAll(async () => {
  await gateway[Symbol.asyncDispose]();
  await directory[Symbol.asyncDispose]();
});

const asPage = { headers: { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' } };

test('the page may load its own files and frame the hosts’ live views, and nobody may frame it', async () => {
  const { headers, text } = await call(`${gateway.url}/`, asPage);
  expect(text).toContain('<title>Turnpike</title>');
  const policy = headers.get('content-security-policy') ?? '';
  expect(policy).toContain("default-src 'none'");
  expect(policy).toContain("script-src 'self';");
  expect(policy).toContain("style-src 'self';");
  expect(policy).toContain('frame-src https://host.example;');
  expect(policy).toContain("frame-ancestors 'none'");
  expect(policy).not.toMatch(/unsafe|\*/);
  expect(Object.fromEntries(headers)).toMatchObject({
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    'referrer-policy': 'no-referrer',
    'cache-control': 'no-cache',
  });
});

test('addresses of pages are the page, and those of the API stay what they are', async () => {
  for (const path of ['/sessions/br_1', '/welcome', '/accounts?text=x']) {
    expect((await call(gateway.url + path, asPage)).headers.get('content-type')).toContain('text/html');
    expect((await call(gateway.url + path, { ...asPage, method: 'HEAD' })).status).toBe(200);
    expect((await call(gateway.url + path)).json).toEqual({ code: 'NOT_FOUND', error: 'Not found' });
    expect((await call(gateway.url + path, { ...asPage, method: 'POST' })).status).toBe(404);
  }
  for (const path of ['/api/none', '/user/api/none', '/dashboard/api/none', '/operator/api/none']) {
    expect((await call(gateway.url + path, asPage)).json).toEqual({ code: 'NOT_FOUND', error: 'Not found' });
  }
  for (const path of ['/.sources', '/assets/none.js', '/assets/../.sources', '/%2e%2e/package.json']) {
    expect((await call(gateway.url + path)).status).toBe(404);
  }
});

test('/favicon.ico is the dashboard’s icon, for browsers that show a page without one', async () => {
  const icon = await call(`${gateway.url}/favicon.ico`);
  expect([icon.status, icon.headers.get('content-type')]).toEqual([200, 'image/svg+xml']);
  expect(icon.text).toContain('<svg');
  expect((await call(`${gateway.url}/favicon.ico`, { method: 'HEAD' })).status).toBe(200);
});

test('every route that the pages may call is there', async () => {
  const keys = [
    ...Object.keys({ ...peopleRoutes, ...accountPageRoutes }),
    ...Object.keys({ ...operatorRoutes, ...operatorPageRoutes }).map((key) => key.replace(' ', ' /operator')),
  ];
  for (const key of keys) {
    const [method = '', path] = key.split(' ');
    const { status } = await call(`${gateway.url}/dashboard/api${path}`, { method });
    // Nobody is signed in, and no page of the gateway's sends this. The sign-in page asks for its options before.
    const read = key === 'GET /sign-in/options' ? 200 : 401;
    expect(status, key).toBe(method === 'GET' ? read : 403);
  }
  for (const key of Object.keys(apiRoutes)) {
    const [method = '', path] = key.split(' ');
    expect((await call(gateway.url + path, { method })).json.code, key).toBe('MISSING_API_KEY');
  }
  for (const key of Object.keys(sharedRecordingRoutes)) {
    const { status } = await call(`${gateway.url}/dashboard/api${key.replace('GET ', '')}`);
    expect(status, key).toBe(410);
  }
});

test('files are compressed, and those whose name tells their content are kept for ever', async () => {
  const file = `${gateway.url}/assets/index-abc.js`;
  for (const encoding of ['br', 'gzip']) {
    const response = await fetch(file, { headers: { 'accept-encoding': encoding } });
    expect(response.headers.get('content-encoding')).toBe(encoding);
    expect(await response.text()).toContain('console.log(111');
    expect(response.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
  }
  const plain = await call(file, { headers: { 'accept-encoding': 'identity' } });
  expect(plain.headers.get('content-encoding')).toBeNull();
  const etag = plain.headers.get('etag') ?? '';
  expect((await call(file, { headers: { 'if-none-match': etag } })).status).toBe(304);
});
