import { collectDefaultMetrics, Registry } from 'prom-client';
import { type MetricsServer, serveMetrics } from './metrics-server.ts';
import { type Environment, portSetting, textSetting } from './settings.ts';

/** Where the parts of a process count what they do. Each part makes its own metrics in the registry it is given. */
export interface Observation {
  registry: Registry;
}

/** Counted, and read by nobody. */
export const unobserved = (): Observation => ({ registry: new Registry() });

export interface RunningObservation extends Observation, AsyncDisposable {
  /** Where the metrics are served; undefined: nowhere. */
  metricsUrl: string | undefined;
}

/** What the settings ask for, for a whole process, whatever parts run in it. */
export async function startObservation(env: Environment): Promise<RunningObservation> {
  const registry = new Registry();
  const bind = textSetting(env, 'TURNPIKE_METRICS_BIND') ?? '127.0.0.1';
  const port = textSetting(env, 'TURNPIKE_METRICS_PORT') && portSetting(env, 'TURNPIKE_METRICS_PORT', 0);
  let server: MetricsServer | undefined;
  if (typeof port === 'number') {
    // Memory, processor time, event-loop delay and the like; measuring them is not for nothing.
    collectDefaultMetrics({ register: registry });
    server = await serveMetrics(registry, { bind, port });
  }
  return {
    registry,
    metricsUrl: server?.url,
    async [Symbol.asyncDispose]() {
      await server?.[Symbol.asyncDispose]();
    },
  };
}
