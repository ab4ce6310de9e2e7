import type { IncomingMessage } from 'node:http';

/** Hears what clients ask of a driver, in a session that is recorded. */
export interface DriverObserver {
  /** Returns undefined if the answer is of no interest. */
  asked(request: { method: string; path: string; body: string }): DriverAnswered | undefined;
}

/** `body`: the beginning of the answer; empty if it is large. */
type DriverAnswered = (status: number, body: string) => void;

/** More is not looked at. */
const [maxBodyBytes, maxAnswerBytes] = [64 * 1024, 4 * 1024];

/** Looks at a request and its answer while others read them. */
export class DriverWatch {
  readonly #observer: DriverObserver;
  #answered: DriverAnswered | undefined;

  constructor(observer: DriverObserver) {
    this.#observer = observer;
  }

  request(request: IncomingMessage, path: string): void {
    const { method = '' } = request;
    collect(request, maxBodyBytes, (body) => {
      this.#answered = this.#observer.asked({ method, path, body });
    });
  }

  answer(answer: IncomingMessage): void {
    const { statusCode = 502 } = answer;
    collect(answer, maxAnswerBytes, (body) => this.#answered?.(statusCode, body));
  }
}

/** Calls `done` with a message's text when it has been read, or with nothing if it is larger, or broken off. */
function collect(message: IncomingMessage, maxBytes: number, done: (text: string) => void): void {
  let parts: Buffer[] = [];
  let bytes = 0;
  message.on('data', (part: Buffer) => {
    bytes += part.length;
    if (bytes <= maxBytes) parts.push(part);
    else parts = [];
  });
  const end = () => {
    message.off('end', end).off('close', end);
    done(Buffer.concat(parts).toString('utf8'));
  };
  message.on('end', end).on('close', end);
}
