import { describe, expect, test } from 'vitest';
import { expectLinear } from '../fixtures/cost.ts';
import { inputsFor } from './inputs.ts';
import type { Reader } from './reader.ts';
import { devtoolsReaders } from './readers/devtools.ts';
import { gatewayReaders } from './readers/gateway.ts';
import { recordingReaders } from './readers/recording.ts';
import { tunnelReaders } from './readers/tunnel.ts';

const readers: Reader[] = [...tunnelReaders, ...recordingReaders, ...devtoolsReaders, ...gatewayReaders];

/** Readers that are being mended. */
const mendedElsewhere: readonly string[] = [
  ...['request head', 'response framing', 'heads of a connection', 'answers of a connection'],
  ...[
    'mask of a text',
    'mask of a URL',
    'mask of headers',
    'what a mask learns of headers',
    'mask of a body',
  ],
  ...['mask of a command', 'telling strings', 'client of a stealth session'],
];

const [smallest, largest] = [2 ** 11, 2 ** 16];

describe('what reads the data of others takes time in proportion to its length', () => {
  test.for(readers.filter(({ name }) => !mendedElsewhere.includes(name)))('$name', async (reader) => {
    const to = reader.maxSize ?? largest;
    const read = async (text: string) => {
      try {
        await reader.read(text);
      } catch {
        // It is refused, as most of these inputs are.
      }
    };
    for (const { name, make } of inputsFor(reader))
      await expectLinear(make, read, { name, from: smallest, to });
  });

  test('each reader is listed once', () => {
    const names = readers.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    expect(names).toEqual(expect.arrayContaining([...mendedElsewhere]));
  });
});
