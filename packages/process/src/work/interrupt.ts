import { Session } from 'node:inspector/promises';
import { setTimeout as delay } from 'node:timers/promises';

const answerMs = 2000;

/**
 * Interrupts JavaScript from another thread through V8's inspector: it stops where it is, as if it had thrown what
 * nobody can catch, and the thread's event loop goes on. Nothing listens on a port. For use on a worker thread.
 */

/** Evaluates an expression on the main thread, in the middle of whatever that does. */
export async function evaluateOnMain(expression: string): Promise<string> {
  using connection = connectToMain();
  return await evaluate(connection.session, expression);
}

/** Interrupts the main thread. Returns what an expression was just before. */
export async function interruptMain(expression: string): Promise<string> {
  using connection = connectToMain();
  const { session } = connection;
  // One right behind the other, so that the thread takes both at once.
  const evaluated = evaluate(session, expression);
  await session.post('Runtime.terminateExecution');
  return await evaluated;
}

/** Interrupts a worker thread, by Node's id of it. */
export async function interruptWorker(threadId: number): Promise<void> {
  using connection = connectToMain();
  const { session } = connection;
  const { promise: interrupted, resolve } = Promise.withResolvers<void>();
  session.on('NodeWorker.receivedMessageFromWorker', () => resolve());
  session.on('NodeWorker.attachedToWorker', ({ params: { sessionId, workerInfo } }) => {
    // `workerId` is the inspector's own number.
    if (!workerInfo.title.startsWith(`[worker ${threadId}]`)) return;
    const message = JSON.stringify({ id: 1, method: 'Runtime.terminateExecution' });
    session.post('NodeWorker.sendMessageToWorker', { sessionId, message }).catch(() => {});
  });
  await session.post('NodeWorker.enable', { waitForDebuggerOnStart: false });
  // One that has ended meanwhile does not answer.
  await Promise.race([interrupted, delay(answerMs, undefined, { ref: false })]);
}

async function evaluate(session: Session, expression: string): Promise<string> {
  const { result } = await session.post('Runtime.evaluate', { expression, returnByValue: true });
  return String(result.value);
}

function connectToMain(): Disposable & { session: Session } {
  const session = new Session();
  session.connectToMainThread();
  return { session, [Symbol.dispose]: () => session.disconnect() };
}
