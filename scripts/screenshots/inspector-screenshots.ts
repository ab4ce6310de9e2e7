import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { RecordingHarness } from '../../tests/dashboard/recording-harness.ts';
import { webp } from './webp.ts';

/**
 * The player and the live inspector on a made-up recording, into `screenshots/`; those that docs/inspector.md shows,
 * into `docs/images/` as well.
 */

const root = join(import.meta.dirname, '../..');

const devices = {
  desktop: { viewport: { width: 1440, height: 900 } },
  phone: { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true },
} as const satisfies Record<string, BrowserContextOptions>;

const kept = ['network-desktop-light'];

await using harness = await RecordingHarness.open();
const recorded = await harness.record();
const running = await harness.record({ minutes: 3, isRunning: true });
const path = `/sessions/${recorded.index.sessionId}/recording`;
const shared = `/shared-recording#token=${await harness.share(recorded)}`;
await mkdir(join(root, 'screenshots'), { recursive: true });

for (const [device, options] of Object.entries(devices)) {
  const page = await harness.signedIn(options);
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    const take = (name: string, fullPage = device === 'phone') =>
      takePicture(page, `${name}-${device}-${colorScheme}`, fullPage);
    for (const list of ['Commands', 'Network', 'Console', 'Events']) {
      await open(page, `${path}#t=1086`);
      await page.getByRole('tab', { name: new RegExp(`^${list}`) }).click();
      if (list === 'Network' || list === 'Commands') await page.locator('[aria-current=time]').click();
      await take(list.toLowerCase());
    }
    await open(page, `/sessions/${running.index.sessionId}/recording`);
    await take('live', true);
    await page.goto(shared);
    await page.getByRole('img', { name: /^The browser at/ }).waitFor();
    await take('shared');
    await page.goto('/sessions');
    await page.getByRole('table').first().waitFor();
    await take('list');
  }
}

async function open(page: Page, address: string): Promise<void> {
  await page.goto('about:blank');
  await page.goto(address);
  await page.getByRole('img', { name: /^The browser at/ }).waitFor();
  await page.getByRole('listbox').waitFor();
}

async function takePicture(page: Page, name: string, fullPage: boolean): Promise<void> {
  await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
  const png = await page.screenshot({ fullPage });
  await writeFile(join(root, 'screenshots', `inspector-${name}.png`), png);
  if (!kept.includes(name)) return;
  const encoder = await harness.visitor();
  await writeFile(join(root, 'docs/images', `inspector-${name}.webp`), await webp(encoder, png));
}
