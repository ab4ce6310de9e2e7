import type { Program } from '../program.ts';
import type { AskedProtocol, ChosenProgram } from '../protocol.ts';

/** Debian's, which is of the same build as its Chromium. The sandbox has `/usr`. */
const chromedriver = '/usr/bin/chromedriver';

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
export function webdriver({ url = '' }: AskedProtocol): ChosenProgram {
  const [, , cdpId = ''] = url.split('/');
  return { name: 'webdriver', program, options: { chromedriver, cdpId } };
}
