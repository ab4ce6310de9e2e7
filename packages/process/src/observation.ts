import { collectDefaultMetrics, Registry } from 'prom-client';
import { type MetricsServer, serveMetrics } from './metrics-server.ts';
import { type Environment, portSetting, SettingError, textSetting } from './settings.ts';
import { noTracer, type Tracer } from './trace.ts';

/** Where the parts of a process count what they do, and say what of it took how long. Each part makes its own metrics in the registry it is given. */
export interface Observation {
  registry: Registry;
  tracer: Tracer;
}

/** Counted, and read by nobody. */
export const unobserved = (): Observation => ({ registry: new Registry(), tracer: noTracer });

export interface RunningObservation extends Observation, AsyncDisposable {
  /** Where the metrics are served; undefined: nowhere. */
  metricsUrl: string | undefined;
}

/** What the settings ask for, for a whole process, whatever parts run in it. */
export async function startObservation(env: Environment): Promise<RunningObservation> {
  await using undo = new AsyncDisposableStack();
  const registry = new Registry();
  const tracer = await startTracer(env);
  undo.defer(() => tracer.shutdown());
  const metrics = await startMetrics(env, registry);
  if (metrics) undo.use(metrics);
  const owned = undo.move();
  return { registry, tracer, metricsUrl: metrics?.url, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

async function startMetrics(env: Environment, registry: Registry): Promise<MetricsServer | undefined> {
  if (textSetting(env, 'TURNPIKE_METRICS_PORT') === undefined) return undefined;
  const port = portSetting(env, 'TURNPIKE_METRICS_PORT', 0);
  const bind = textSetting(env, 'TURNPIKE_METRICS_BIND') ?? '127.0.0.1';
  const server = await serveMetrics(registry, { bind, port });
  // Memory, processor time, event-loop delay and the like; measuring them is not for nothing.
  collectDefaultMetrics({ register: registry });
  return server;
}

/** OpenTelemetry's own variables. It is not even loaded where they do not ask for it. */
async function startTracer(env: Environment): Promise<Tracer & { shutdown(): Promise<void> }> {
  if (!wantsTraces(env)) return { ...noTracer, shutdown: async () => {} };
  const protocol =
    textSetting(env, 'OTEL_EXPORTER_OTLP_TRACES_PROTOCOL') ?? textSetting(env, 'OTEL_EXPORTER_OTLP_PROTOCOL');
  if (protocol !== undefined && protocol !== 'http/json') {
    throw new SettingError('OTEL_EXPORTER_OTLP_PROTOCOL', 'must be http/json: traces are sent by no other');
  }
  const { createOtlpTracer } = await import('./otlp-tracer.ts');
  return createOtlpTracer(env);
}

function wantsTraces(env: Environment): boolean {
  if (textSetting(env, 'OTEL_SDK_DISABLED')?.toLowerCase() === 'true') return false;
  const exporter = textSetting(env, 'OTEL_TRACES_EXPORTER');
  if (exporter !== undefined && exporter !== 'otlp' && exporter !== 'none') {
    throw new SettingError('OTEL_TRACES_EXPORTER', 'must be otlp or none');
  }
  const endpoints = ['OTEL_EXPORTER_OTLP_ENDPOINT', 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'] as const;
  return (
    exporter === 'otlp' ||
    (exporter === undefined && endpoints.some((name) => textSetting(env, name) !== undefined))
  );
}
