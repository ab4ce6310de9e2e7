import { afterAll, afterEach, beforeAll, describe, expect } from 'vitest';
import { watchLeaks } from '../fixtures/leaks.ts';
import { accountFlows } from './account-flows.ts';
import { Theatre } from './browser-harness.ts';
import { everyPage } from './every-page.ts';
import { operatorFlows } from './operator-flows.ts';
import { webhookFlow } from './webhook-flow.ts';

watchLeaks({ wholeFile: true });

/** One service and one browser for all: each flow goes on where the former stopped. */
let theatre: Theatre;
beforeAll(async () => {
  theatre = await Theatre.open();
});
afterAll(() => theatre?.[Symbol.asyncDispose]());
afterEach(() => {
  expect(theatre.takeProblems()).toEqual([]);
});

describe('an account', () => accountFlows(() => theatre));
describe('webhooks', () => webhookFlow(() => theatre));
describe('an operator', () => operatorFlows(() => theatre));
describe('every page', () => everyPage(() => theatre));
