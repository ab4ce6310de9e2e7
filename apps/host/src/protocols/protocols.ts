import { existsSync } from 'node:fs';
import { type ProtocolName, protocolNames } from '@turnpike/contract/protocols';
import { bidi } from './bidi/bidi.ts';
import { playwright } from './playwright/playwright.ts';
import type { Protocol } from './protocol.ts';
import { chromedriver, webdriver } from './webdriver/webdriver.ts';

/** Protocols other than CDP, by the first part of a session's addresses. */
export const protocols: Record<ProtocolName, Protocol> = { bidi, playwright, webdriver };

/** Those that this machine has the programs for. */
export function offeredProtocols(): ProtocolName[] {
  return protocolNames.filter((name) => name !== 'webdriver' || hasChromeDriver());
}

let isInstalled: boolean | undefined;

function hasChromeDriver(): boolean {
  isInstalled ??= existsSync(chromedriver);
  return isInstalled;
}
