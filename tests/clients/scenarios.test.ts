import { afterAll, beforeAll, test } from 'vitest';
import { watchLeaks } from '../fixtures/suite/leaks.ts';
import { describeEach, quickWhere } from '../fixtures/suite/matrix.ts';
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
const isQuick = ([name]: (typeof clients)[number]) =>
  name === 'the Node client' || name === 'the Python client';
describeEach(quickWhere(clients, isQuick))('with %s', (_client, start) => {
  test.each(scenarios)('$name', async (scenario) => {
    await using client = start();
    await runScenario(scenario, client.drive, await harnesses[scenario.on].harness(scenario.limits));
  });
});
