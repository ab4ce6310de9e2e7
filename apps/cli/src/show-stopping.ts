/** How often it checks whether the counts have changed. */
const lookMs = 500;

/** Something that a stopping process waits for, and how many are left. */
export interface Waited {
  count(): number;
  one: string;
  many: string;
}

/** Prints what stopping waits for, and again whenever that changes. Dispose of it last. */
export class StoppingReport implements Disposable {
  readonly #print: (line: string) => void;
  #timer: NodeJS.Timeout | undefined;
  #said = '';

  constructor(print: (line: string) => void = console.log) {
    this.#print = print;
  }

  start(waits: readonly Waited[]): void {
    const say = () => {
      const left = waits.flatMap(({ count, one, many }) => {
        const number = count();
        return number > 0 ? [`${number} ${number === 1 ? one : many}`] : [];
      });
      const line = left.length > 0 ? `Stopping. Waiting for ${left.join(' and ')}.` : 'Stopping.';
      if (line !== this.#said) this.#print(line);
      this.#said = line;
    };
    say();
    this.#timer = setInterval(say, lookMs);
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }
}

export const requestsToAnswer = (count: () => number): Waited => ({
  count,
  one: 'request to be answered',
  many: 'requests to be answered',
});

export const browsersToClose = (count: () => number): Waited => ({
  count,
  one: 'browser to close',
  many: 'browsers to close',
});
