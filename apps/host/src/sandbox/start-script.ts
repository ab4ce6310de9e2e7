import { displayDescriptor, displayScript } from '../display/display.ts';

/** Descriptors that the sandbox inherits. Chromium defines the first two. 8 is the display's. */
export const descriptors = {
  devtoolsIn: 3,
  devtoolsOut: 4,
  handover: 5,
  node: 6,
  info: 7,
  policies: 9,
  fonts: 10,
} as const;

/** In the sandbox's own network namespace, so it is the same for every session. */
export const forwarderPort = 3128;

/**
 * Run by Node inside the sandbox: creates the listening socket there, sends it to the host and exits. The host then
 * accepts the browser's connections itself.
 */
export const handoverProgram = `
const server = require('node:net').createServer();
server.listen(${forwarderPort}, '127.0.0.1', () => process.send('listening', server, () => process.exit()));`;

/**
 * The sandbox's first program. Its arguments are the program above and the browser's command line. Node comes as an open
 * descriptor, because the sandbox's user may not be able to read its path, and runs while the browser starts. The
 * browser keeps only the DevTools descriptors.
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
