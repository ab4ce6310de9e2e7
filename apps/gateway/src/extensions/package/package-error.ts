/** Says in one sentence what is wrong with an uploaded extension. Whoever uploaded it reads that. */
export class PackageError extends Error {
  override name = 'PackageError';
}
