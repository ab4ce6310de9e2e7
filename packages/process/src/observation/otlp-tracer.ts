import { type Context, type Span as OtelSpan, ROOT_CONTEXT, SpanKind, trace } from '@opentelemetry/api';
import { parseTraceParent } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type Sampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import { type Environment, integerSetting, SettingError, textSetting } from '../settings.ts';
import { finished, type RootSpan, type Span, type Tracer } from './trace.ts';

export interface OtlpTracer extends Tracer {
  /** Sends the remaining spans, and drops those that cannot be sent. */
  shutdown(): Promise<void>;
}

/**
 * Sends traces with OTLP over HTTP, in JSON, as OpenTelemetry's own variables say. The exporter reads its endpoint,
 * headers and similar itself. Loaded only if traces are on.
 */
export function createOtlpTracer(env: Environment): OtlpTracer {
  const queue = integerSetting(env, 'OTEL_BSP_MAX_QUEUE_SIZE', { fallback: 2048, min: 1, max: 1_000_000 });
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ 'service.name': 'turnpike' }).merge(
      detectResources({ detectors: [envDetector] }),
    ),
    sampler: samplerSetting(env),
    spanProcessors: [
      new BatchSpanProcessor({
        exporter: new OTLPTraceExporter({ timeoutMillis: timeoutSetting(env) }),
        maxQueueSize: queue,
        maxExportBatchSize: Math.min(512, queue),
        scheduledDelayMillis: integerSetting(env, 'OTEL_BSP_SCHEDULE_DELAY', {
          fallback: 5000,
          min: 1,
          max: 600_000,
        }),
      }),
    ],
  });
  const tracer = provider.getTracer('turnpike');

  function begin(name: string, kind: SpanKind, parent: Context): RootSpan {
    const span = tracer.startSpan(name, { kind }, parent);
    const context = trace.setSpan(parent, span);
    return {
      traceparent: traceparentOf(span),
      set: (attributes) => void span.setAttributes(attributes),
      end: () => span.end(),
      step<T>(stepName: string, work: (span: Span) => Promise<T>): Promise<T> {
        return finished(begin(stepName, SpanKind.INTERNAL, context), work);
      },
    };
  }

  return {
    begin: (name, traceparent) => begin(name, SpanKind.SERVER, contextOf(traceparent)),
    shutdown: () => provider.shutdown().catch(() => {}),
  };
}

/** Reads the caller's context. Ignores a malformed traceparent and starts a new trace. */
function contextOf(traceparent: string | undefined): Context {
  const caller = traceparent === undefined ? null : parseTraceParent(traceparent);
  return caller ? trace.setSpanContext(ROOT_CONTEXT, { ...caller, isRemote: true }) : ROOT_CONTEXT;
}

function traceparentOf(span: OtelSpan): string {
  const { traceId, spanId, traceFlags } = span.spanContext();
  return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`;
}

/** Time for retries of an export, also at exit. Shorter than OpenTelemetry's ten seconds. */
function timeoutSetting(env: Environment): number {
  const limits = { min: 1, max: 600_000 };
  const fallback = integerSetting(env, 'OTEL_EXPORTER_OTLP_TIMEOUT', { fallback: 3000, ...limits });
  return integerSetting(env, 'OTEL_EXPORTER_OTLP_TRACES_TIMEOUT', { fallback, ...limits });
}

function samplerSetting(env: Environment): Sampler {
  const name = textSetting(env, 'OTEL_TRACES_SAMPLER') ?? 'parentbased_always_on';
  const roots: Record<string, () => Sampler> = {
    always_on: () => new AlwaysOnSampler(),
    always_off: () => new AlwaysOffSampler(),
    traceidratio: () => new TraceIdRatioBasedSampler(ratioSetting(env)),
  };
  const root = roots[name.replace(/^parentbased_/, '')]?.();
  if (!root) {
    const names = Object.keys(roots).flatMap((known) => [known, `parentbased_${known}`]);
    throw new SettingError('OTEL_TRACES_SAMPLER', `must be one of ${names.join(', ')}`);
  }
  return name.startsWith('parentbased_') ? new ParentBasedSampler({ root }) : root;
}

function ratioSetting(env: Environment): number {
  const ratio = Number(textSetting(env, 'OTEL_TRACES_SAMPLER_ARG') ?? 1);
  if (!(ratio >= 0 && ratio <= 1)) {
    throw new SettingError('OTEL_TRACES_SAMPLER_ARG', 'must be a number from 0 to 1');
  }
  return ratio;
}
