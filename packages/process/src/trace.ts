/** What is told of a step: what it was about, never a secret, and never an account. */
export type Attributes = Readonly<Record<string, string | number | boolean>>;

/** A step of something that is traced. */
export interface Span {
  /** Runs a part of it as a step of its own. A failure is marked on the step, and thrown on. */
  step<T>(name: string, work: (span: Span) => Promise<T>): Promise<T>;
  set(attributes: Attributes): void;
  /** W3C Trace Context, for who goes on with it elsewhere; undefined: nobody asked for traces. */
  readonly traceparent: string | undefined;
}

export interface RootSpan extends Span {
  end(): void;
}

export interface Tracer {
  /** Goes on with the caller's trace, where there is one. Whoever begins it ends it. */
  begin(name: string, traceparent: string | undefined): RootSpan;
}

const untraced: RootSpan = {
  step: (_name, work) => work(untraced),
  set() {},
  traceparent: undefined,
  end() {},
};

/** For when nobody asked for traces: steps just run. */
export const noTracer: Tracer = { begin: () => untraced };

/** Runs the work as a step of the caller's trace, and ends it. */
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

/** The code that an error has, or its kind. Its message may hold what is not for a trace. */
function errorType(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name;
}
