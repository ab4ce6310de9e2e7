import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import { kernelThreadId, read, yieldToOthers } from '../../native/libc.ts';
import type { ChannelHandler } from '../channel/channel.ts';
import type { Report } from '../reports.ts';
import { SwitchboardCore } from '../switchboard-core.ts';
import { Turns } from '../turns.ts';
import { CommandQueue } from './command-queue.ts';
import { DescriptorChannel } from './descriptor-channel.ts';
import { Poller } from './poller.ts';
import { ThreadMemory } from './thread-memory.ts';
import {
  type RunLoop,
  type ThreadCommand,
  type ThreadData,
  type ThreadStarted,
  transferList,
} from './thread-messages.ts';

/** The program of the thread that `ThreadSwitchboard` starts. It waits for descriptors, and does nothing else. */

const { wakeDescriptor, port, isStopped, workWords } = workerData as ThreadData;

/** A process that ends without a `stop` would wait for this thread otherwise. */
const maxWaitMs = 5000;

const turns = new Turns(workWords);
const core = new SwitchboardCore(turns);
const poller = new Poller(turns);
const memory = new ThreadMemory();
const wakeCount = Buffer.alloc(8);
let isRunning = true;

const onCommands: ChannelHandler = {
  readable: takeCommands,
  writable: () => {},
  fail: (error) => core.reportError(error),
};
poller.watch(wakeDescriptor, onCommands, { read: true, write: false });
const commands = new CommandQueue({ turns, turnOf: (pipeId) => core.turnOf(pipeId), carryOut });

// The loop runs in a message's handler: there it can be interrupted and started again. V8 ends the process if a thread
// is terminated while it evaluates a module that has awaited, and Node if one is interrupted in an immediate.
parentPort?.on('message', ({ stalledPipeId }: RunLoop) => {
  if (stalledPipeId !== undefined) core.endPipe(stalledPipeId);
  run();
});
parentPort?.postMessage({ kernelThreadId: kernelThreadId() } satisfies ThreadStarted);

function run(): void {
  // Run when a processor is free: then a browser that goes on writing is read from once, and its client written to once.
  yieldToOthers();
  turns.startRound();
  commands.carryOutNew();
  finishTurn();
  while (isRunning) {
    if (commands.isEmpty) poller.wait(maxWaitMs, finishTurn);
    else {
      turns.startRound();
      commands.carryOutWaiting(finishTurn);
      poller.wait(0, finishTurn);
    }
    memory.woke();
  }
  poller.close();
  parentPort?.close();
  Atomics.store(isStopped, 0, 1);
  Atomics.notify(isStopped, 0);
}

function finishTurn(): void {
  const reports = core.finishTurn();
  if (reports.length > 0) post(reports);
}

function takeCommands(): void {
  read(wakeDescriptor, wakeCount, wakeCount.length);
  for (let next = receiveMessageOnPort(port); next; next = receiveMessageOnPort(port)) {
    for (const command of next.message as ThreadCommand[]) commands.add(command);
  }
  commands.carryOutNew();
}

function carryOut(command: ThreadCommand): void {
  if (command.type === 'stop') isRunning = false;
  else if (command.type === 'openPipe') {
    const { start, input, output } = command;
    core.openPipe(start, { input: channelOn(input), output: channelOn(output) });
  } else if (command.type === 'connectClient') {
    core.connectClient(command.toPipeId, command.start, channelOn(command.descriptor));
  } else core.carryOut(command);
}

function channelOn(descriptor: number): DescriptorChannel {
  return new DescriptorChannel(descriptor, poller);
}

/** Posts reports together, or one by one where one of them cannot be posted: that ends its pipe. */
function post(reports: Report[]): void {
  try {
    port.postMessage(reports, transferList(reports));
  } catch {
    for (const report of reports) postAlone(report);
  }
}

function postAlone(report: Report): void {
  try {
    port.postMessage([report]);
  } catch (error) {
    if ('pipeId' in report) core.failPipe(report.pipeId, error);
  }
}
