import type { Protocol } from 'devtools-protocol';
import type { CalledPage } from '../called-page.ts';
import type { LargeAnswer } from '../devtools/devtools.ts';
import { maxMessageBytes } from '../devtools/page-world.ts';
import { PageError } from '../page-error.ts';
import { callInPage } from '../page-script.ts';

/** Chromium's largest texture: further down a picture would repeat itself. */
const maxPixels = 16_384;

type Options = NonNullable<CalledPage['parameters']['screenshotOptions']>;

export const screenshotType = ({ type }: Options): string => `image/${type ?? 'png'}`;

/** Resolves with a message that has the picture as `data`. */
export async function readScreenshot(page: CalledPage): Promise<LargeAnswer> {
  const { devtools, parameters } = page;
  const options = parameters.screenshotOptions ?? {};
  const { type, quality, omitBackground, optimizeForSpeed } = options;
  const area = await areaOf(page, options);
  if (omitBackground) setBackground(page, { r: 0, g: 0, b: 0, a: 0 });
  const format = (type ?? 'png') as 'png' | 'jpeg' | 'webp';
  const picture = devtools.sendForBytes(
    'Page.captureScreenshot',
    {
      format,
      ...(quality !== undefined && format !== 'png' && { quality }),
      ...(optimizeForSpeed !== undefined && { optimizeForSpeed }),
      ...area,
    },
    maxMessageBytes,
  );
  if (omitBackground) setBackground(page, undefined);
  return await picture;
}

function setBackground({ devtools }: CalledPage, color: Protocol.DOM.RGBA | undefined): void {
  devtools.tell('Emulation.setDefaultBackgroundColorOverride', color ? { color } : {});
}

type Area = Pick<Protocol.Page.CaptureScreenshotRequest, 'clip' | 'captureBeyondViewport'>;

async function areaOf(page: CalledPage, { clip, fullPage, captureBeyondViewport }: Options): Promise<Area> {
  const { selector } = page.parameters;
  if (selector !== undefined) return { clip: await boxOf(page, selector), captureBeyondViewport: true };
  if (clip)
    return {
      clip: { ...clip, scale: clip.scale ?? 1 },
      captureBeyondViewport: captureBeyondViewport ?? true,
    };
  if (!fullPage) return captureBeyondViewport ? { captureBeyondViewport } : {};
  const { cssContentSize, visualViewport, contentSize } = await page.devtools.send(
    'Page.getLayoutMetrics',
    {},
  );
  const { width, height } = cssContentSize;
  const scale = contentSize.width / Math.max(1, cssContentSize.width) || visualViewport.scale;
  const max = Math.floor(maxPixels / Math.max(1, scale));
  if (height > max || width > max)
    page.events.warn(`The page is ${width} × ${height} pixels. The picture ends after ${max}.`);
  const size = { width: Math.min(width, max), height: Math.min(height, max) };
  return { clip: { x: 0, y: 0, ...size, scale: 1 }, captureBeyondViewport: true };
}

async function boxOf({ world }: CalledPage, selector: string): Promise<Protocol.Page.Viewport> {
  const answer = await world.evaluateText(callInPage('boxOf', selector));
  if (answer.startsWith('!')) throw noElement(selector, answer);
  const box = JSON.parse(answer) as { x: number; y: number; width: number; height: number };
  const fits = (length: number) => Math.min(length, maxPixels);
  return { ...box, width: fits(box.width), height: fits(box.height), scale: 1 };
}

/** Why a selector has nothing to give. */
export function noElement(selector: string, answer: string): PageError {
  const shown = selector.slice(0, 200);
  return answer === '!empty'
    ? new PageError(
        'PAGE_FAILED',
        `The element of selector ${shown} has no size, so there is nothing to show.`,
      )
    : new PageError(
        'PAGE_FAILED',
        `The page has no element for selector ${shown}. Check it, or pass waitForSelector.`,
      );
}
