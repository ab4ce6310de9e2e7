import { afterAll, afterEach, beforeAll, describe, expect } from 'vitest';
import { watchLeaks } from '../fixtures/suite/leaks.ts';
import { accountFlows } from './account-flows.ts';
import { BrowserHarness } from './browser-harness.ts';
import { everyPage } from './every-page.ts';
import { mailFlow } from './mail-flow.ts';
import { operatorFlows } from './operator-flows.ts';
import { webhookFlow } from './webhook-flow.ts';

watchLeaks({ wholeFile: true });

/**
 * One service and one browser for all: each flow goes on where the former stopped. `npm run test:all` has all of
 * them, `npm test` those that need no other: signing in, opening and closing a session, the keyboard, an operator.
 */
let harness: BrowserHarness;
beforeAll(async () => {
  harness = await BrowserHarness.open();
});
afterAll(() => harness?.[Symbol.asyncDispose]());
afterEach(() => {
  expect(harness.takeProblems()).toEqual([]);
});

describe('an account', () => accountFlows(() => harness));
describe('e-mail', () => mailFlow(() => harness));
describe('webhooks', () => webhookFlow(() => harness));
describe('an operator', () => operatorFlows(() => harness));
describe('every page', () => everyPage(() => harness));
