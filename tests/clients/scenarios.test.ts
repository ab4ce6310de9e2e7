import { afterAll, beforeAll, describe, test } from 'vitest';
import { watchLeaks } from '../fixtures/leaks.ts';
import { drivers } from './drivers.ts';
import { type Stage, startGatewayStage, startServiceStage } from './harness.ts';
import { runScenario } from './run-scenario.ts';
import { type Scenario, scenarios } from './scenarios.ts';

watchLeaks({ wholeFile: true });

const stages = {} as Record<Scenario['on'], Stage>;
beforeAll(async () => {
  stages.service = await startServiceStage();
  stages.gateway = await startGatewayStage();
});
afterAll(async () => {
  await stages.service[Symbol.asyncDispose]();
  await stages.gateway[Symbol.asyncDispose]();
});

describe.each(Object.entries(drivers))('with %s', (_client, start) => {
  test.each(scenarios)('$name', async (scenario) => {
    await using client = start();
    await runScenario(scenario, client.drive, await stages[scenario.on].world(scenario.limits));
  });
});
