import { gunzipSync } from 'node:zlib';
import type {
  AppendResult,
  RecordedEvent,
  RecordingChunk,
  RecordingSink,
} from '@turnpike/contract/recording';

/** For tests only: keeps recordings in memory. */
export class MemorySink implements RecordingSink {
  readonly chunks: RecordingChunk[] = [];
  /** What the next calls answer; where there is none, the chunk is stored. */
  readonly answers: (AppendResult | Error)[] = [];
  #onAppend: (() => void) | undefined;

  async append(chunk: RecordingChunk): Promise<AppendResult> {
    const answer = this.answers.shift() ?? 'stored';
    if (answer instanceof Error) throw answer;
    if (answer === 'stored') this.chunks.push(chunk);
    this.#onAppend?.();
    return answer;
  }

  of(sessionId: string): RecordingChunk[] {
    return this.chunks.filter((chunk) => chunk.sessionId === sessionId);
  }

  text(sessionId: string): string {
    return this.of(sessionId)
      .map(({ events }) => gunzipSync(events).toString())
      .join('');
  }

  events(sessionId: string): RecordedEvent[] {
    const lines = this.text(sessionId).trim().split('\n');
    return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as RecordedEvent);
  }

  /** Resolves when the last chunk of the session has come. */
  async ended(sessionId: string): Promise<void> {
    while (!this.of(sessionId).some(({ isLast }) => isLast)) {
      await new Promise<void>((resolve) => {
        this.#onAppend = resolve;
      });
    }
  }
}
