import { expect, test } from 'vitest';
import { parseExactly } from '../../apps/gateway/src/bandwidth/usage-record.ts';
import { parseExactJson } from '../../apps/gateway/src/store/exact-json.ts';
import { expectLinear } from '../fixtures/suite/cost.ts';
import { describeEach } from '../fixtures/suite/matrix.ts';
import { inputsFor } from './inputs.ts';
import type { Reader } from './reader.ts';
import { crawlReaders } from './readers/crawl.ts';
import { devtoolsReaders } from './readers/devtools.ts';
import { gatewayReaders } from './readers/gateway.ts';
import { recordingReaders } from './readers/recording.ts';
import { tunnelReaders } from './readers/tunnel.ts';

const readers: Reader[] = [
  ...tunnelReaders,
  ...recordingReaders,
  ...devtoolsReaders,
  ...gatewayReaders,
  ...crawlReaders,
];

/** 64 KiB take a tenth of a second at the most, on a slow machine. */
const maxMsPerKi = 1.5;

describeEach({ quick: [[2 ** 12, 2 ** 14]], slow: [[2 ** 11, 2 ** 16]] })(
  'what reads the data of others takes time in proportion to its length, from %d to %d bytes',
  (smallest, largest) => {
    test.for(readers)('$name', async (reader) => {
      const to = reader.maxSize ?? largest;
      const read = async (text: string) => {
        try {
          await reader.read(text);
        } catch {
          // It is refused, as most of these inputs are.
        }
      };
      for (const { name, make } of inputsFor(reader))
        await expectLinear(make, read, { name, from: smallest, to, maxMsPerKi });
    });
  },
);

test('one number of many digits is read in proportion to its length', { tags: 'slow' }, async () => {
  const number = (size: number) => `[${'9'.repeat(size)}]`;
  await expectLinear(number, parseExactly, { from: 2 ** 17, to: 2 ** 20 });
  await expectLinear(number, parseExactJson);
});

test('each reader is listed once', () => {
  const names = readers.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
});
