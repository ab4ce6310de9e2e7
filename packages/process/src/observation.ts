import { collectDefaultMetrics, Registry } from 'prom-client';
import { type MetricsServer, serveMetrics } from './observation/metrics-server.ts';
import { noTracer, type Tracer } from './observation/trace.ts';
import { type Environment, SettingError, setting, textSetting } from './settings.ts';

/** Metrics and traces of a process. Each part creates its own metrics in the registry. */
export interface Observation {
  registry: Registry;
  tracer: Tracer;
}

/** Metrics that nobody reads, for tests. */
export const unobserved = (): Observation => ({ registry: new Registry(), tracer: noTracer });

export interface RunningObservation extends Observation, AsyncDisposable {
  /** The URL of the metrics; undefined if they are not served. */
  metricsUrl: string | undefined;
}

/** Starts the metrics and traces that the settings ask for, for a whole process. */
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
  const port = setting(env, 'TURNPIKE_METRICS_PORT');
  if (port === undefined) return undefined;
  const bind = setting(env, 'TURNPIKE_METRICS_BIND');
  const server = await serveMetrics(registry, { bind, port });
  // Memory, processor time, event-loop delay and more. Collecting them costs time, so only if they are served.
  collectDefaultMetrics({ register: registry });
  return server;
}

/** Starts tracing if OpenTelemetry's own variables ask for it. Otherwise its code is not loaded. */
async function startTracer(env: Environment): Promise<Tracer & { shutdown(): Promise<void> }> {
  if (!wantsTraces(env)) return { ...noTracer, shutdown: async () => {} };
  const protocol =
    textSetting(env, 'OTEL_EXPORTER_OTLP_TRACES_PROTOCOL') ?? textSetting(env, 'OTEL_EXPORTER_OTLP_PROTOCOL');
  if (protocol !== undefined && protocol !== 'http/json') {
    throw new SettingError('OTEL_EXPORTER_OTLP_PROTOCOL', 'must be http/json, the only supported protocol');
  }
  const { createOtlpTracer } = await import('./observation/otlp-tracer.ts');
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
