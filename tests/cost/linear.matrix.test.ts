import { describe, expect, test } from 'vitest';
import { expectLinear } from '../fixtures/cost.ts';
import { inAll } from '../fixtures/suite.ts';
import { inputsFor } from './inputs.ts';
import type { Reader } from './reader.ts';
import { devtoolsReaders } from './readers/devtools.ts';
import { gatewayReaders } from './readers/gateway.ts';
import { recordingReaders } from './readers/recording.ts';
import { tunnelReaders } from './readers/tunnel.ts';

const readers: Reader[] = [...tunnelReaders, ...recordingReaders, ...devtoolsReaders, ...gatewayReaders];

const [smallest, largest] = inAll ? [2 ** 11, 2 ** 16] : [2 ** 12, 2 ** 14];
/** 64 KiB take a tenth of a second at the most, on a slow machine. */
const maxMsPerKi = 1.5;

describe('what reads the data of others takes time in proportion to its length', () => {
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

  test('each reader is listed once', () => {
    const names = readers.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
  });
});
