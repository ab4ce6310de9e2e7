/** What an operator asked for and cannot have, in one sentence. */
export class OperatorError extends Error {
  override name = 'OperatorError';
  /** Of the request, where it came as one. */
  readonly field: string | undefined;

  constructor(message: string, { field, ...options }: ErrorOptions & { field?: string } = {}) {
    super(message, options);
    this.field = field;
  }
}
