import type { Database } from './database.ts';

/** More than this is sent in turn: a statement's answer is read in one go, and nothing else meanwhile. */
const maxTogether = 200;
/** What comes while so many are under way goes together in the next, however slow the store is. Less than a pool. */
const maxUnderWay = 4;

interface Asked<Question, Answer> {
  question: Question;
  resolve(answer: Answer): void;
  reject(error: unknown): void;
}

interface Desk<Question, Answer> {
  waiting: Asked<Question, Answer>[];
  underWay: number;
  /** The next statement is about to begin. */
  isDue: boolean;
}

/**
 * One statement for all that is asked at the same moment. A question goes with a statement that begins after it,
 * never with one under way: no answer is older than its question, as if each had been asked alone.
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
