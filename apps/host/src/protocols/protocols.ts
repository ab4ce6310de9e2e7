import { bidi } from './bidi/bidi.ts';
import { playwright } from './playwright/playwright.ts';
import type { Protocol } from './protocol.ts';
import { webdriver } from './webdriver/webdriver.ts';

/** Protocols other than CDP, by the first part of a session's addresses. */
export const protocols = { bidi, playwright, webdriver } satisfies Record<string, Protocol>;

export type ProtocolName = keyof typeof protocols;
