/** Says in one sentence why a command cannot do what it was asked to. */
export class CommandError extends Error {
  override name = 'CommandError';
}
