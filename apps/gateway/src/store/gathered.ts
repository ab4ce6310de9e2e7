import type { Database } from './database.ts';

/** More than this is sent in turn: a statement's answer is read in one go, and nothing else meanwhile. */
const maxTogether = 200;

interface Asked<Question, Answer> {
  question: Question;
  resolve(answer: Answer): void;
  reject(error: unknown): void;
}

/**
 * One statement for all that is asked at the same moment. A question goes with the next statement that begins,
 * never with one under way: no answer is older than its question, as if each had been asked alone.
 */
export function gathered<Question, Answer>(
  ask: (db: Database, questions: readonly Question[]) => Promise<readonly Answer[]>,
): (db: Database, question: Question) => Promise<Answer> {
  const waiting = new WeakMap<Database, Asked<Question, Answer>[]>();
  const send = async (db: Database) => {
    const all = waiting.get(db) ?? [];
    waiting.delete(db);
    for (let from = 0; from < all.length; from += maxTogether) {
      const asked = all.slice(from, from + maxTogether);
      ask(
        db,
        asked.map(({ question }) => question),
      ).then(
        (answers) => {
          for (const [index, { resolve }] of asked.entries()) resolve(answers[index] as Answer);
        },
        (error) => {
          for (const { reject } of asked) reject(error);
        },
      );
    }
  };
  return (db, question) =>
    new Promise((resolve, reject) => {
      const asked = waiting.get(db);
      if (asked) asked.push({ question, resolve, reject });
      else {
        waiting.set(db, [{ question, resolve, reject }]);
        setImmediate(send, db);
      }
    });
}
