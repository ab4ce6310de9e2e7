import { afterAll, beforeAll, describe, test } from 'vitest';
import { watchLeaks } from '../fixtures/leaks.ts';
import { cells } from '../fixtures/suite.ts';
import { drivers } from './drivers.ts';
import { type ScenarioHarness, startGatewayHarness, startServiceHarness } from './harness.ts';
import { runScenario } from './run-scenario.ts';
import { type Scenario, scenarios } from './scenarios.ts';

watchLeaks({ wholeFile: true });

const harnesses = {} as Record<Scenario['on'], ScenarioHarness>;
beforeAll(async () => {
  harnesses.service = await startServiceHarness();
  harnesses.gateway = await startGatewayHarness();
});
afterAll(async () => {
  await harnesses.service[Symbol.asyncDispose]();
  await harnesses.gateway[Symbol.asyncDispose]();
});

const clients = Object.entries(drivers);
const quick = clients.filter(([name]) => name === 'the Node client' || name === 'the Python client');
describe.each(cells({ quick, rest: clients.filter((client) => !quick.includes(client)) }))(
  'with %s',
  (_client, start) => {
    test.each(scenarios)('$name', async (scenario) => {
      await using client = start();
      await runScenario(scenario, client.drive, await harnesses[scenario.on].harness(scenario.limits));
    });
  },
);
