import { expect, test } from 'vitest';
import { type Greeting, plainGreeting, terminalGreeting } from './greeting.ts';

const demo = {
  apiKey: `tp_live_${'a'.repeat(64)}`,
  statsToken: `tpapi_${'b'.repeat(64)}`,
  proxyUser: 'u1',
  proxyPassword: 'secret',
} as NonNullable<Greeting['demo']>;

const greeting: Greeting = {
  urls: {
    gateway: 'http://127.0.0.1:8080',
    host: 'ws://127.0.0.1:8081',
    proxy: 'http://127.0.0.1:8082',
    metrics: undefined,
  },
  demo,
  demoEmail: 'demo@example.com',
  links: [{ who: 'operator', url: 'http://127.0.0.1:8080/welcome#token=1' }],
  problem: undefined,
};

test('a terminal gets the secrets last, in a box, ready to be copied', () => {
  const lines = terminalGreeting(greeting, 120).trimEnd().split('\n');
  const top = lines.findIndex((line) => line.startsWith('┌─ Secrets of the demo account, shown only once ─'));
  const box = lines.slice(top);
  expect(new Set(box.map((line) => line.length)).size).toBe(1);
  expect(box.at(-1)).toMatch(/^└─+┘$/);
  expect(box.join('\n')).toContain('│ export TURNPIKE_PROXY=http://u1:secret@127.0.0.1:8082 ');
  expect(lines.slice(0, top).join('\n')).toContain('Turnpike is up.');
  expect(lines.slice(0, top).join('\n')).not.toContain(demo.apiKey);
});

test('in a narrow terminal the box has no sides, so that long lines are copied whole', () => {
  const lines = terminalGreeting(greeting, 60).split('\n');
  expect(lines).toContain(`export TURNPIKE_API_KEY=${demo.apiKey}`);
  expect(lines.filter((line) => line.startsWith('─')).map((line) => line.length)).toEqual([60, 60]);
});

test('a later start says how to get new keys', () => {
  const later = { ...greeting, demo: undefined, links: [] };
  expect(terminalGreeting(later, 120)).toContain('npx turnpike account rotate-key demo@example.com');
  expect(plainGreeting(later)).toContain('The dashboard: http://127.0.0.1:8080');
});

test.each([plainGreeting, (it: Greeting) => terminalGreeting(it, 120)])(
  'without browsers it does not say that it is up, but what failed, what to do and what works',
  (write) => {
    const text = write({ ...greeting, problem: 'The browser did not start: no namespaces' });
    expect(text).not.toContain('is up');
    expect(text).toContain('no browser can be opened: The browser did not start: no namespaces');
    expect(text).toContain('npx turnpike doctor');
    expect(text).toContain('Everything else works');
  },
);
