import type { Database } from './database.ts';

/** The most questions in one statement: while its answer is read, nothing else is. */
const maxBatchSize = 200;
/**
 * The most statements at once for one kind of question, fewer than a pool has. Later questions go into the next one.
 */
const maxConcurrent = 4;

interface Asked<Question, Answer> {
  question: Question;
  resolve(answer: Answer): void;
  reject(error: unknown): void;
}

interface Queue<Question, Answer> {
  waiting: Asked<Question, Answer>[];
  running: number;
  /** Whether the next statement is scheduled. */
  isScheduled: boolean;
}

/**
 * Batches questions of the same moment into one statement. A question goes with a statement that starts after it, never
 * with one in progress, so no answer is older than its question.
 */
export function batched<Question, Answer>(
  ask: (db: Database, questions: readonly Question[]) => Promise<readonly Answer[]>,
): (db: Database, question: Question) => Promise<Answer> {
  const queues = new WeakMap<Database, Queue<Question, Answer>>();

  const send = (db: Database, queue: Queue<Question, Answer>): void => {
    queue.isScheduled = false;
    while (queue.waiting.length > 0 && queue.running < maxConcurrent) {
      const asked = queue.waiting.splice(0, maxBatchSize);
      queue.running += 1;
      const questions = asked.map(({ question }) => question);
      const answered = ask(db, questions).then(
        (answers) => {
          for (const [index, { resolve }] of asked.entries()) resolve(answers[index] as Answer);
        },
        (error) => {
          for (const { reject } of asked) reject(error);
        },
      );
      void answered.then(() => {
        queue.running -= 1;
        send(db, queue);
      });
    }
  };

  return (db, question) =>
    new Promise((resolve, reject) => {
      const queue = queues.get(db) ?? { waiting: [], running: 0, isScheduled: false };
      queues.set(db, queue);
      queue.waiting.push({ question, resolve, reject });
      if (queue.isScheduled) return;
      queue.isScheduled = true;
      setImmediate(send, db, queue);
    });
}
