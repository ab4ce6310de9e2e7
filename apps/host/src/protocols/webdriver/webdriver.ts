import type { Program } from '../program.ts';
import type { ChosenProgram } from '../protocol.ts';

/** Debian's, of its package `chromium-driver`, which is of the same build as its Chromium. The sandbox has `/usr`. */
export const chromedriver = '/usr/bin/chromedriver';

const program: Program = {
  modules: [
    'webdriver/inside-webdriver.ts',
    'webdriver/answers.ts',
    'webdriver/base64.ts',
    'webdriver/capabilities.ts',
    'webdriver/driver.ts',
    'webdriver/driver-server.ts',
    'webdriver/session-files.ts',
    'webdriver/zip.ts',
  ],
  packages: [],
};

/** WebDriver, also known as classic: one worker with one ChromeDriver serves all clients of a session. */
export function webdriver(): ChosenProgram {
  return { name: 'webdriver', program, options: { chromedriver } };
}
