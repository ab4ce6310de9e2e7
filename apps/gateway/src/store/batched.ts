import type { Database } from './database.ts';

/** The most questions in one statement: while its answer is read, nothing else is. */
const maxTogether = 200;
/**
 * The most statements at once for one kind of question, fewer than a pool has. Later questions go into the next one.
 */
const maxUnderWay = 4;

interface Asked<Question, Answer> {
  question: Question;
  resolve(answer: Answer): void;
  reject(error: unknown): void;
}

interface Desk<Question, Answer> {
  waiting: Asked<Question, Answer>[];
  underWay: number;
  /** Whether the next statement is scheduled. */
  isDue: boolean;
}

/**
 * Batches questions of the same moment into one statement. A question goes with a statement that starts after it, never
 * with one in progress, so no answer is older than its question.
 */
export function batched<Question, Answer>(
  ask: (db: Database, questions: readonly Question[]) => Promise<readonly Answer[]>,
): (db: Database, question: Question) => Promise<Answer> {
  const desks = new WeakMap<Database, Desk<Question, Answer>>();

  const send = (db: Database, desk: Desk<Question, Answer>): void => {
    desk.isDue = false;
    while (desk.waiting.length > 0 && desk.underWay < maxUnderWay) {
      const asked = desk.waiting.splice(0, maxTogether);
      desk.underWay += 1;
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
        desk.underWay -= 1;
        send(db, desk);
      });
    }
  };

  return (db, question) =>
    new Promise((resolve, reject) => {
      const desk = desks.get(db) ?? { waiting: [], underWay: 0, isDue: false };
      desks.set(db, desk);
      desk.waiting.push({ question, resolve, reject });
      if (desk.isDue) return;
      desk.isDue = true;
      setImmediate(send, db, desk);
    });
}
