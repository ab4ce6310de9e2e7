import type { PageParameters } from '@turnpike/contract/page/page-request';
import type { Protocol } from 'devtools-protocol';
import { PageError } from '../page-error.ts';

type PdfOptions = NonNullable<PageParameters['pdfOptions']>;
type Length = number | string;

/** In inches, upright. The sizes are Puppeteer's. */
const formats: Readonly<Record<string, readonly [width: number, height: number]>> = {
  letter: [8.5, 11],
  legal: [8.5, 14],
  tabloid: [11, 17],
  ledger: [17, 11],
  a0: [33.1102, 46.811],
  a1: [23.3858, 33.1102],
  a2: [16.5354, 23.3858],
  a3: [11.6929, 16.5354],
  a4: [8.2677, 11.6929],
  a5: [5.8268, 8.2677],
  a6: [4.1339, 5.8268],
};

const pixelsPerUnit: Readonly<Record<string, number>> = { px: 1, in: 96, cm: 37.8, mm: 3.78 };
const pixelsPerInch = 96;

/** Reads pixels, or a number with its unit. */
export function inches(length: Length, name: string): number {
  if (typeof length === 'number') return length / pixelsPerInch;
  const [, number, unit = 'px'] = /^(\d{1,6}(?:\.\d{0,6})?) ?(px|in|cm|mm)?$/i.exec(length.trim()) ?? [];
  const perUnit = pixelsPerUnit[unit.toLowerCase()];
  if (number === undefined || perUnit === undefined)
    throw new PageError(
      'PAGE_FAILED',
      `pdfOptions.${name} must be pixels, or a number with px, in, cm or mm.`,
    );
  return (Number(number) * perUnit) / pixelsPerInch;
}

function paper({ format, width, height }: PdfOptions): readonly [number, number] {
  const known = formats[(format ?? 'letter').toLowerCase()];
  if (!known)
    throw new PageError(
      'PAGE_FAILED',
      `pdfOptions.format must be one of ${Object.keys(formats).join(', ')}.`,
    );
  if (format !== undefined) return known;
  return [
    width === undefined ? known[0] : inches(width, 'width'),
    height === undefined ? known[1] : inches(height, 'height'),
  ];
}

/** The parameters of `Page.printToPDF`, with Puppeteer's defaults. */
export function printParameters(options: PdfOptions): Protocol.Page.PrintToPDFRequest {
  const [paperWidth, paperHeight] = paper(options);
  const { top, right, bottom, left } = options.margin ?? {};
  const { headerTemplate, footerTemplate, scale, pageRanges, landscape, printBackground } = options;
  return {
    paperWidth,
    paperHeight,
    landscape: landscape ?? false,
    scale: scale ?? 1,
    printBackground: printBackground ?? false,
    displayHeaderFooter: options.displayHeaderFooter ?? false,
    ...(headerTemplate !== undefined && { headerTemplate }),
    ...(footerTemplate !== undefined && { footerTemplate }),
    marginTop: inches(top ?? 0, 'margin.top'),
    marginRight: inches(right ?? 0, 'margin.right'),
    marginBottom: inches(bottom ?? 0, 'margin.bottom'),
    marginLeft: inches(left ?? 0, 'margin.left'),
    pageRanges: pageRanges ?? '',
    preferCSSPageSize: options.preferCSSPageSize ?? false,
    generateTaggedPDF: options.tagged ?? true,
    generateDocumentOutline: options.outline ?? false,
  };
}
