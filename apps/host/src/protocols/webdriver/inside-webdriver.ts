import { createServer } from 'node:http';
import type { Inside } from '../inside/inside.ts';
import { Driver } from './driver.ts';
import { answerFailure, DriverServer } from './driver-server.ts';
import { WebdriverFiles } from './session-files.ts';

/** Serves WebDriver by ChromeDriver: see `Serve`. Without ChromeDriver this process is of no use. */
export default async function serve(inside: Inside): Promise<void> {
  const { chromedriver = '', cdpId = '' } = inside.options;
  const driver = await Driver.start(inside, chromedriver, () => process.exit());
  const files = new WebdriverFiles(`${process.env['HOME']}/files`);
  const sessions = new DriverServer(driver, files, cdpId);
  // The host has the deadlines, and closes connections that it no longer needs.
  const server = createServer({ requestTimeout: 0, keepAliveTimeout: 0 }, (request, response) => {
    for (const stream of [request, response]) stream.on('error', () => {}); // A close follows.
    sessions.answer(request, response).catch((error: unknown) => answerFailure(response, error));
  });
  inside.onClient((socket) => server.emit('connection', socket));
}
