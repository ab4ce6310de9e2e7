import { type MessagePort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import { Caller } from './caller.ts';
import { close, read, yieldToOthers } from './libc.ts';
import { Line } from './line.ts';
import { asBuffer, type Order, type Report, transferred } from './orders.ts';
import { Batch } from './outlet.ts';
import { Poller } from './poller.ts';
import type { ThreadContext } from './thread-context.ts';
import { ThreadMemory } from './thread-memory.ts';

/** The thread that `Switchboard` starts: it waits for descriptors, and nothing else happens in it. */

export interface ThreadData {
  /** Rung when there are orders. */
  bell: number;
  orders: MessagePort;
}

const { bell, orders } = workerData as ThreadData;

/** As much as a pipe or a socket has at once, mostly. */
const readBytes = 2 ** 20;

/** A process that ends without a word would wait for this thread otherwise. */
const maxWaitMs = 5000;

const context: ThreadContext = {
  poller: new Poller(),
  batch: new Batch(),
  buffer: Buffer.allocUnsafeSlow(readBytes + 1).subarray(0, readBytes),
  reports: [] as Report[],
  fault(about, error) {
    const said = error instanceof Error ? (error.stack ?? error.message) : String(error);
    context.reports.push({ tell: 'fault', about, error: said });
  },
};
const lines = new Map<number, Line>();
const callers = new Map<number, Caller>();
const rung = Buffer.alloc(8);
const memory = new ThreadMemory();
let isStopped = false;

yieldToOthers(); // A browser that writes on while this waits is read from once, and its client written to once.
context.poller.watch(
  bell,
  { readable: takeOrders, writable: () => {}, fail: (error) => context.fault(undefined, error) },
  { read: true, write: false },
);
while (!isStopped) {
  context.poller.wait(maxWaitMs);
  context.batch.flush();
  if (context.reports.length > 0) tell(context.reports.splice(0));
  memory.woke();
}

function takeOrders(): void {
  read(bell, rung, rung.length);
  for (let next = receiveMessageOnPort(orders); next; next = receiveMessageOnPort(orders)) {
    for (const order of next.message as Order[]) carryOutAlone(order);
  }
}

/** Large messages change hands, and are not copied. What cannot be told together is told one by one. */
function tell(reports: Report[]): void {
  try {
    orders.postMessage(reports, transferred(reports));
  } catch {
    for (const report of reports) {
      try {
        orders.postMessage([report]);
      } catch (error) {
        const about = 'line' in report ? { line: report.line } : undefined;
        lines.get(about?.line ?? 0)?.fail(error);
      }
    }
  }
}

/** An order that fails ends what it is about, and nothing else. */
function carryOutAlone(order: Order): void {
  try {
    carryOut(order);
  } catch (error) {
    if ('caller' in order && callers.has(order.caller)) callers.get(order.caller)?.fail(error);
    else if ('line' in order && lines.has(order.line)) lines.get(order.line)?.fail(error);
    else context.fault(undefined, error);
  }
}

function carryOut(order: Order): void {
  switch (order.do) {
    case 'stop':
      isStopped = true;
      return;
    case 'open':
      lines.set(order.line, new Line(order, context, () => lines.delete(order.line)));
      return;
    case 'connect':
      connect(order);
      return;
    case 'send':
    case 'handled':
    case 'mute':
    case 'release':
    case 'hideScripts':
    case 'cut':
      forLine(lines.get(order.line), order);
      return;
    default:
      forCaller(callers.get(order.caller), order);
  }
}

/** To a browser that went in the meantime there is no way. */
function connect(order: Extract<Order, { do: 'connect' }>): void {
  const line = lines.get(order.line);
  if (line) callers.set(order.caller, new Caller(order, line, context));
  else {
    close(order.descriptor);
    context.reports.push({ tell: 'gone', caller: order.caller });
  }
}

type LineOrder = Extract<Order, { do: 'send' | 'handled' | 'mute' | 'release' | 'hideScripts' | 'cut' }>;

function forLine(line: Line | undefined, order: LineOrder): void {
  if (!line) return;
  if (order.do === 'send') send(line, order);
  else if (order.do === 'handled') line.handled(order.characters);
  else if (order.do === 'mute') line.isMuted = true;
  else if (order.do === 'release') line.release(order.session);
  else if (order.do === 'hideScripts') line.hideScripts(order.session, order.scripts);
  else line.end();
}

type CallerOrder = Extract<Order, { do: 'goOn' | 'pass' | 'write' | 'end' | 'drop' }>;

function forCaller(caller: Caller | undefined, order: CallerOrder): void {
  if (!caller) return;
  if (order.do === 'goOn') caller.goOn();
  else if (order.do === 'pass') caller.pass(asBuffer(order.message));
  else if (order.do === 'write') caller.write(asBuffer(order.bytes));
  else if (order.do === 'end') caller.end();
  else {
    callers.delete(order.caller);
    caller.drop();
  }
}

function send(line: Line, { message, session }: Extract<Order, { do: 'send' }>): void {
  const bytes = typeof message === 'string' ? Buffer.from(message) : asBuffer(message);
  if (session) line.sendTo(session.id, bytes, session.end);
  else line.send(bytes, 0, bytes.length);
}
