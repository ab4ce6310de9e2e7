import { displayDescriptor, displayScript } from '../display/display.ts';

/** Descriptors that the sandbox inherits. Chromium defines the first two. 8 is the display's. */
export const descriptors = {
  devtoolsIn: 3,
  devtoolsOut: 4,
  handover: 5,
  node: 6,
  workers: 7,
  policies: 9,
  fonts: 10,
  info: 11,
} as const;

/** In the sandbox's own network namespace, so it is the same for every session. */
export const forwarderPort = 3128;

/**
 * Run by Node inside the sandbox: creates the listening socket there, sends it to the host and exits. The host then
 * accepts the browser's connections itself.
 */
export const handoverProgram = `
const server = require('node:net').createServer();
server.listen(${forwarderPort}, '0.0.0.0', () => process.send('listening', server, () => process.exit()));`;

/**
 * A line of a start script: a shell that starts Node whenever the host writes a line to the workers' descriptor. Until
 * then it sleeps. Shells know only descriptors of one digit.
 */
export function workersScript(node: string, closedDescriptors: string, port = forwarderPort): string {
  const forwarder = `FORWARDER_URL=http://127.0.0.1:${port}`;
  const start = `${forwarder} ${node} --input-type=module -e 'await import(process.argv[2])' "$path" "$program"`;
  const next = `read -r path program <&${descriptors.workers}`;
  return `while ${next}; do ${start} </dev/null & done ${closedDescriptors} &`;
}

/**
 * The sandbox's first program. Its arguments are the program above and the browser's command line. Node comes as an open
 * descriptor, because the sandbox's user may not be able to read its path, and runs while the browser starts. The
 * browser keeps only the DevTools descriptors.
 */
export function startScript(prepare: readonly string[], display: boolean): string {
  const { devtoolsIn, devtoolsOut, handover, node, workers } = descriptors;
  const withoutDevtools = `${devtoolsIn}<&- ${devtoolsOut}<&-`;
  const withoutDisplay = `${displayDescriptor}<&-`;
  return [
    `NODE_CHANNEL_FD=${handover} /proc/self/fd/${node} -e "$1" ${withoutDevtools} ${withoutDisplay} &`,
    workersScript(`/proc/self/fd/${node}`, `${withoutDevtools} ${withoutDisplay} ${handover}<&-`),
    `exec ${handover}<&- ${node}<&- ${workers}<&- ${display ? '' : withoutDisplay}`,
    'shift',
    ...prepare,
    ...(display ? displayScript(withoutDevtools, { number: ':0', directory: '/tmp' }) : []),
    'exec "$@"',
  ].join('\n');
}
