/** Attributes of a span. They never contain a secret or an account. */
export type Attributes = Readonly<Record<string, string | number | boolean>>;

/** A span of a trace. */
export interface Span {
  /** Runs work as a child span. Marks an error on the span and throws it again. */
  step<T>(name: string, work: (span: Span) => Promise<T>): Promise<T>;
  set(attributes: Attributes): void;
  /** W3C Trace Context for other processes; undefined if traces are off. */
  readonly traceparent: string | undefined;
}

export interface RootSpan extends Span {
  end(): void;
}

export interface Tracer {
  /** Begins a span, in the caller's trace if there is one. The code that begins it also ends it. */
  begin(name: string, traceparent: string | undefined): RootSpan;
}

const untraced: RootSpan = {
  step: (_name, work) => work(untraced),
  set() {},
  traceparent: undefined,
  end() {},
};

/** The tracer if traces are off. It only runs the work. */
export const noTracer: Tracer = { begin: () => untraced };

/** Runs the work in a span of the caller's trace, and ends the span. */
export function traced<T>(
  tracer: Tracer,
  name: string,
  traceparent: string | undefined,
  work: (span: Span) => Promise<T>,
): Promise<T> {
  return finished(tracer.begin(name, traceparent), work);
}

export async function finished<T>(span: RootSpan, work: (span: Span) => Promise<T>): Promise<T> {
  try {
    return await work(span);
  } catch (error) {
    span.set({ 'error.type': errorType(error) });
    throw error;
  } finally {
    span.end();
  }
}

/** Returns the code or the name of an error. Its message may contain secrets. */
function errorType(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name;
}
