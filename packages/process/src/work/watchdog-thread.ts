import { parentPort, workerData } from 'node:worker_threads';
import { evaluateOnMain, interruptMain, interruptWorker } from './interrupt.ts';
import { StallDetector } from './stall-detector.ts';
import { readThreadTime } from './thread-time.ts';
import {
  currentWorkExpression,
  type FromWatchdog,
  type ThreadToWatch,
  type ToWatchdog,
  type WatchdogData,
} from './watchdog-messages.ts';

/** The program of the watchdog's thread. Looks at the threads that tenants' work runs on. */

const { mainKernelThreadId, pong, interruptsMain } = workerData as WatchdogData;
const lookMs = 250;

const mainDetector = new StallDetector();
const threads = new Map<number, { thread: ThreadToWatch; detector: StallDetector }>();
let lastPing = 0;
let isLooking = false;

parentPort?.on('message', (message: ToWatchdog) => {
  if (message.type === 'forget') threads.delete(message.threadId);
  else threads.set(message.thread.threadId, { thread: message.thread, detector: new StallDetector() });
});
setInterval(() => void look(), lookMs);

function post(message: FromWatchdog): void {
  parentPort?.postMessage(message);
}

async function look(): Promise<void> {
  if (isLooking) return;
  isLooking = true;
  try {
    for (const { thread, detector } of threads.values()) await lookAtThread(thread, detector);
    await lookAtMain();
  } finally {
    isLooking = false;
  }
}

async function lookAtThread(thread: ThreadToWatch, detector: StallDetector): Promise<void> {
  const time = readThreadTime(thread.kernelThreadId);
  if (!time || !detector.isBusy(performance.now(), time)) return;
  const [piece, ownerId = 0] = thread.workWords;
  const ms = detector.stalledMs(`${piece} ${ownerId}`, time);
  if (ms === undefined || ownerId === 0) return;
  detector.clear();
  const { threadId } = thread;
  await interruptWorker(threadId);
  post({ type: 'threadStalled', threadId, ownerId, ms });
}

/** The main thread is at fault only if it does not come back to its event loop, and is at one piece of work. */
async function lookAtMain(): Promise<void> {
  const time = readThreadTime(mainKernelThreadId);
  if (!time || !mainDetector.isBusy(performance.now(), time)) return;
  if (pong[0] === lastPing) {
    mainDetector.clear();
    lastPing += 1;
    post({ type: 'ping', number: lastPing });
    return;
  }
  const work = await evaluateOnMain(currentWorkExpression);
  const ms = mainDetector.stalledMs(work, time);
  if (ms === undefined) return;
  mainDetector.clear();
  if (work.endsWith('owned') && interruptsMain) {
    await interruptMain(currentWorkExpression);
    post({ type: 'mainStalled', ms });
  } else post({ type: 'mainBusy', ms });
}
