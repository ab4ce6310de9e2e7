/** `npm start` passes a Ctrl-C on to a process that the terminal has told too. */
const sameRequestMs = 1000;

/** Resolves when the process is asked to stop. Asked again, it ends at once. */
export function signalled(): Promise<NodeJS.Signals> {
  const { promise, resolve } = Promise.withResolvers<NodeJS.Signals>();
  let firstAt: number | undefined;
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      firstAt ??= performance.now();
      resolve(signal);
      if (performance.now() - firstAt < sameRequestMs) return;
      process.removeAllListeners(signal);
      process.kill(process.pid, signal);
    });
  }
  return promise;
}
