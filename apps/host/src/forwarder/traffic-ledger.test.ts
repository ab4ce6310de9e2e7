import { addUse, maxDestinations, noUse, refusalReasons } from '@turnpike/contract/traffic';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { TrafficLedger } from './traffic-ledger.ts';

function sumOf(ledger: TrafficLedger, count = maxDestinations) {
  const { destinations, other } = ledger.report(count);
  const sum = noUse();
  for (const use of [...destinations, other]) addUse(sum, use);
  return sum;
}

it('counts by host and port, whatever way a host is written', () => {
  const ledger = new TrafficLedger();
  ledger.tunnel({ host: 'Example.com', port: 443 });
  ledger.share({ host: 'example.com.', port: 443 }).add(10, 20);
  ledger.request({ host: 'example.com', port: 80 });
  ledger.refuse({ host: '127.1', port: 80 }, 'allow_hosts');
  ledger.refuse({ host: '127.0.0.1', port: 80 }, 'allow_hosts');
  ledger.refuse({ host: 'no\u0000host%\n'.repeat(100), port: 1 }, 'block');
  const { destinations } = ledger.report(10);
  expect(destinations).toMatchObject([
    { host: 'example.com', port: 443, tunnels: 1, requests: 0, bytesUp: 10, bytesDown: 20, refused: {} },
    { host: expect.stringMatching(/^no\?host%\?no[!-~]+$/), port: 1, refused: { block: 1 } },
    { host: '127.0.0.1', port: 80, refused: { allow_hosts: 2 } },
    { host: 'example.com', port: 80, requests: 1 },
  ]);
  expect(destinations[1]?.host).toHaveLength(100);
  expect(ledger.count).toBe(5);
});

it('keeps the largest by name, and adds up the rest, connections that are still open included', () => {
  const ledger = new TrafficLedger();
  const open = ledger.share({ host: 'early.test', port: 443 });
  const large = ledger.share({ host: 'large.test', port: 443 });
  large.add(0, 1_000_000);
  for (let i = 0; i < 5000; i++) ledger.share({ host: `h${i}.test`, port: 443 }).add(1, i);
  open.add(7, 7);
  const { destinations, other } = ledger.report(maxDestinations);
  expect(destinations).toHaveLength(maxDestinations);
  expect(destinations.slice(0, 2)).toMatchObject([{ host: 'large.test' }, { host: 'h4999.test' }]);
  expect(destinations.find(({ host }) => host === 'early.test')).toBeUndefined();
  expect(other.bytesDown).toBeGreaterThan(0);
  const all = { bytesUp: 5000 + 7, bytesDown: 1_000_000 + (4999 * 5000) / 2 + 7 };
  expect(sumOf(ledger)).toMatchObject(all);
  expect(sumOf(ledger, 3)).toMatchObject(all);
});

it('loses nothing, whatever comes in whatever order', () => {
  const host = fc.nat({ max: 3000 }).map((number) => ({ host: `h${number}.test`, port: 443 }));
  const step = fc.oneof(
    fc.record({ kind: fc.constant('add' as const), host, up: fc.nat(1000), down: fc.nat(100_000) }),
    fc.record({ kind: fc.constantFrom('request' as const, 'tunnel' as const), host }),
    fc.record({ kind: fc.constant('refuse' as const), host, reason: fc.constantFrom(...refusalReasons) }),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 4000, size: 'max' }), fc.nat(1000), (steps, count) => {
      const ledger = new TrafficLedger();
      const shares = new Map<string, ReturnType<TrafficLedger['share']>>();
      const expected = noUse();
      for (const step of steps) {
        const use = noUse();
        if (step.kind === 'add') {
          // A connection keeps its share however long it is open.
          const share = shares.get(step.host.host) ?? ledger.share(step.host);
          shares.set(step.host.host, share);
          share.add(step.up, step.down);
          Object.assign(use, { bytesUp: step.up, bytesDown: step.down });
        } else if (step.kind === 'refuse') {
          ledger.refuse(step.host, step.reason);
          use.refused[step.reason] = 1;
        } else {
          ledger[step.kind](step.host);
          use[step.kind === 'request' ? 'requests' : 'tunnels'] = 1;
        }
        addUse(expected, use);
      }
      expect(sumOf(ledger, count)).toEqual(expected);
      expect(ledger.report(count).destinations.length).toBeLessThanOrEqual(count);
    }),
    { numRuns: 20 },
  );
});
