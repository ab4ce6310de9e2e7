import type { StatusLine } from '../terminal/status-line.ts';

/** How often it checks whether the counts have changed. */
const lookMs = 500;

/** Something that a stopping process waits for, and how many are left. */
export interface Waited {
  count(): number;
  one: string;
  many: string;
}

/**
 * Shows how much is left of what stopping waits for: on a terminal in place, elsewhere as a line whenever it changes.
 * Dispose of it last.
 */
export class StoppingReport implements Disposable {
  readonly #status: StatusLine;
  readonly #print: (line: string) => void;
  #timer: NodeJS.Timeout | undefined;
  #said = '';

  constructor(status: StatusLine, print: (line: string) => void = console.log) {
    this.#status = status;
    this.#print = print;
  }

  start(waits: readonly Waited[]): void {
    const say = () => {
      const left = waits.flatMap(({ count, one, many }) => {
        const number = count();
        return number > 0 ? [`${number} ${number === 1 ? one : many}`] : [];
      });
      const line = left.length > 0 ? `Stopping: ${left.join(' and ')} left.` : 'Stopping.';
      if (this.#status.isTTY) this.#status.show(`${line} Press Ctrl-C again to stop at once.`);
      else if (line !== this.#said) this.#print(line);
      this.#said = line;
    };
    say();
    this.#timer = setInterval(say, lookMs);
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
    this.#status.clear();
    if (this.#status.isTTY && this.#said !== '') this.#print('Stopped.');
  }
}

export const requestsToAnswer = (count: () => number): Waited => ({
  count,
  one: 'request',
  many: 'requests',
});

export const sessionsToClose = (count: () => number): Waited => ({
  count,
  one: 'session',
  many: 'sessions',
});
