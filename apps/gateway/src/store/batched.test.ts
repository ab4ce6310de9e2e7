import { describe, expect, test } from 'vitest';
import { batched } from './batched.ts';
import type { Database } from './database.ts';

const db = {} as Database;

function statements() {
  const sent: { questions: readonly number[]; answer: () => void; fail: (error: Error) => void }[] = [];
  const ask = batched((_db, questions: readonly number[]) => {
    const { promise, resolve, reject } = Promise.withResolvers<number[]>();
    sent.push({ questions, answer: () => resolve(questions.map((n) => n * 10)), fail: reject });
    return promise;
  });
  return { sent, ask: (question: number) => ask(db, question) };
}

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

describe('what is asked at the same moment', () => {
  test('goes out in one statement, and each gets its own answer', async () => {
    const { sent, ask } = statements();
    const answers = Promise.all([ask(1), ask(2), ask(1)]);
    await nextTurn();
    expect(sent.map(({ questions }) => questions)).toEqual([[1, 2, 1]]);
    sent[0]?.answer();
    expect(await answers).toEqual([10, 20, 10]);
  });

  test('does not join a statement under way, nor wait for it', async () => {
    const { sent, ask } = statements();
    const first = ask(1);
    await nextTurn();
    const second = ask(2);
    await nextTurn();
    expect(sent.map(({ questions }) => questions)).toEqual([[1], [2]]);
    sent[1]?.answer();
    expect(await second).toBe(20);
    sent[0]?.answer();
    expect(await first).toBe(10);
  });

  test('fails together, and alone', async () => {
    const { sent, ask } = statements();
    const answers = Promise.allSettled([ask(1), ask(2)]);
    await nextTurn();
    sent[0]?.fail(new Error('away'));
    expect((await answers).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    const next = ask(3);
    await nextTurn();
    sent[1]?.answer();
    expect(await next).toBe(30);
  });

  test('waits while four are under way, and then goes together', async () => {
    const { sent, ask } = statements();
    const asked: Promise<number>[] = [];
    for (let n = 0; n < 7; n++) {
      asked.push(ask(n));
      await nextTurn();
    }
    expect(sent.map(({ questions }) => questions)).toEqual([[0], [1], [2], [3]]);
    sent[2]?.fail(new Error('away'));
    await expect(asked[2]).rejects.toThrow('away');
    await nextTurn();
    expect(sent.map(({ questions }) => questions)).toEqual([[0], [1], [2], [3], [4, 5, 6]]);
    for (const { answer } of sent) answer();
    expect(await asked[6]).toBe(60);
  });

  test('is divided where it is more than a statement should take', async () => {
    const { sent, ask } = statements();
    const answers = Promise.all(Array.from({ length: 450 }, (_, n) => ask(n)));
    await nextTurn();
    expect(sent.map(({ questions }) => questions.length)).toEqual([200, 200, 50]);
    for (const { answer } of sent) answer();
    expect((await answers)[449]).toBe(4490);
  });
});
