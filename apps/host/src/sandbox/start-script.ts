import { displayDescriptor, displayScript } from '../display/display.ts';

/** Descriptors that cross into the sandbox; Chromium itself fixes the first two. Before the last is the display's. */
export const descriptors = {
  ...{ devtoolsIn: 3, devtoolsOut: 4, handover: 5, node: 6, info: 7 },
  policies: 9,
} as const;

/** Inside the sandbox's own network namespace, so the same for every session. */
export const forwarderPort = 3128;

/**
 * Run by Node inside the sandbox: makes the listening socket there, hands it to the host and is gone. The
 * host then accepts the browser's connections itself, with no bridge in between.
 */
export const handoverProgram = `
const server = require('node:net').createServer();
server.listen(${forwarderPort}, '127.0.0.1', () => process.send('listening', server, () => process.exit()));`;

/**
 * The sandbox's first program; its arguments are the program above and then the browser's command line. Node
 * comes as an open descriptor because the path to it may be closed to the sandbox's user. It runs beside the
 * browser's start; the browser itself keeps the DevTools descriptors and nothing else.
 */
export function startScript(prepare: readonly string[], display: boolean): string {
  const { devtoolsIn, devtoolsOut, handover, node } = descriptors;
  const withoutDevtools = `${devtoolsIn}<&- ${devtoolsOut}<&-`;
  const withoutDisplay = `${displayDescriptor}<&-`;
  return [
    `NODE_CHANNEL_FD=${handover} /proc/self/fd/${node} -e "$1" ${withoutDevtools} ${withoutDisplay} &`,
    `exec ${handover}<&- ${node}<&- ${display ? '' : withoutDisplay}`,
    'shift',
    ...prepare,
    ...(display ? displayScript(withoutDevtools, { number: ':0', directory: '/tmp' }) : []),
    'exec "$@"',
  ].join('\n');
}
