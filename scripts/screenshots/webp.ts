import type { Page } from 'playwright-core';

/** Encodes a picture as WebP. Chromium is the encoder that is at hand. */
export async function webp(page: Page, png: Buffer): Promise<Buffer> {
  const base64 = await page.evaluate(
    `(async () => {
      const source = await fetch('data:image/png;base64,${png.toString('base64')}');
      const bitmap = await createImageBitmap(await source.blob());
      const canvas = new OffscreenCanvas(bitmap.width, bitmap.height);
      canvas.getContext('2d').drawImage(bitmap, 0, 0);
      const blob = await canvas.convertToBlob({ type: 'image/webp', quality: 0.86 });
      return new Uint8Array(await blob.arrayBuffer()).toBase64();
    })()`,
  );
  return Buffer.from(String(base64), 'base64');
}
