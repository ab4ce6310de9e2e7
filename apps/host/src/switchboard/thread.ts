import { receiveMessageOnPort, workerData } from 'node:worker_threads';
import type { ChannelHandler } from './channel.ts';
import type { Report } from './commands.ts';
import { DescriptorChannel } from './descriptor-channel.ts';
import { read, yieldToOthers } from './libc.ts';
import { Poller } from './poller.ts';
import { SwitchboardCore } from './switchboard-core.ts';
import { ThreadMemory } from './thread-memory.ts';
import { type ThreadCommand, type ThreadData, transferList } from './thread-messages.ts';

/** The program of the thread that `ThreadSwitchboard` starts. It waits for descriptors, and does nothing else. */

const { wakeDescriptor, port, isStopped } = workerData as ThreadData;

/** A process that ends without a `stop` would wait for this thread otherwise. */
const maxWaitMs = 5000;

const core = new SwitchboardCore();
const poller = new Poller();
const memory = new ThreadMemory();
const wakeCount = Buffer.alloc(8);
let isRunning = true;

const onCommands: ChannelHandler = {
  readable: takeCommands,
  writable: () => {},
  fail: (error) => core.reportError(error),
};
poller.watch(wakeDescriptor, onCommands, { read: true, write: false });
// Not as a part of this module's evaluation: V8 ends the process if a thread is terminated during one that has awaited.
setImmediate(run);

function run(): void {
  // Run when a processor is free: then a browser that goes on writing is read from once, and its client written to once.
  yieldToOthers();
  while (isRunning) {
    poller.wait(maxWaitMs);
    const reports = core.finishTurn();
    if (reports.length > 0) post(reports);
    memory.woke();
  }
  poller.close();
  Atomics.store(isStopped, 0, 1);
  Atomics.notify(isStopped, 0);
}

function takeCommands(): void {
  read(wakeDescriptor, wakeCount, wakeCount.length);
  for (let next = receiveMessageOnPort(port); next; next = receiveMessageOnPort(port)) {
    for (const command of next.message as ThreadCommand[]) carryOut(command);
  }
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
