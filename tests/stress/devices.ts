import { parseArgs } from 'node:util';
import { runDevices } from './devices-run.ts';

const usage = `usage: npm run devices -- [--sessions 400] [--profiles 50]

Opens sessions of all systems and modes, asks a page of each what it sees, and compares that with the table of devices.
Then opens sessions with a saved profile, which must claim the device of the session that saved it. Prints how many
different devices each system had.`;

const { values } = parseArgs({
  options: {
    sessions: { type: 'string', default: '400' },
    profiles: { type: 'string', default: '50' },
    help: { type: 'boolean', default: false },
  },
});
const [sessions, profiles] = [Number(values.sessions), Number(values.profiles)];
if (values.help || !(sessions >= 0 && profiles >= 0)) {
  console.error(usage);
  process.exit(values.help ? 0 : 2);
}
const { failures, ...figures } = await runDevices({
  ...{ sessions, profiles },
  onSession: (count) => count % 20 === 0 && console.error(`${count} sessions`),
});
for (const failure of failures) console.error(failure);
console.log(JSON.stringify({ ...figures, failures: failures.length }, null, 2));
process.exitCode = failures.length > 0 ? 1 : 0;
