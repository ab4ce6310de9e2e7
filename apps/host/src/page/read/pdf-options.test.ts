import { expect, it } from 'vitest';
import { inches, printParameters } from './pdf-options.ts';

it('reads lengths as Puppeteer does', () => {
  expect(inches(96, 'x')).toBe(1);
  expect(inches('96', 'x')).toBe(1);
  expect(inches('2in', 'x')).toBe(2);
  expect(inches('2.54 cm', 'x')).toBeCloseTo(1, 3);
  expect(inches('25.4MM', 'x')).toBeCloseTo(1, 3);
  for (const wrong of ['', 'x', '-1in', '1em', '1e3', '1px2'])
    expect(() => inches(wrong, 'width')).toThrow('pdfOptions.width must be');
});

it('prints on letter without margins or background unless told otherwise', () => {
  expect(printParameters({})).toMatchObject({
    paperWidth: 8.5,
    paperHeight: 11,
    marginTop: 0,
    printBackground: false,
    landscape: false,
  });
  expect(printParameters({ format: 'A4', landscape: true, margin: { top: '1in' } })).toMatchObject({
    paperWidth: 8.2677,
    paperHeight: 11.6929,
    landscape: true,
    marginTop: 1,
  });
  expect(printParameters({ width: 192, height: '5in' })).toMatchObject({ paperWidth: 2, paperHeight: 5 });
  expect(() => printParameters({ format: 'a9' })).toThrow('pdfOptions.format must be one of letter');
});
