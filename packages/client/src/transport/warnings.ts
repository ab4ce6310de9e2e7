/** What an answer says that was asked for and not done. Another server's header of that name is nothing to fail on. */
export function warningsIn(headers: Headers): string[] {
  const text = headers.get('x-turnpike-warnings');
  if (text === null) return [];
  try {
    const warnings: unknown = JSON.parse(text);
    return Array.isArray(warnings) ? warnings.filter((each) => typeof each === 'string') : [];
  } catch {
    return [];
  }
}

/** Warns as the runtime does: Node prints it on standard error, and `process.on('warning')` hears it. */
export function emitWarning(warning: string): void {
  const { process } = globalThis as { process?: { emitWarning?: (text: string, type: string) => void } };
  if (process?.emitWarning) process.emitWarning(warning, 'TurnpikeWarning');
  else console.warn(`TurnpikeWarning: ${warning}`);
}
