import { parseArgs } from 'node:util';
import { crawlKills } from './crawl-kills-run.ts';

const usage = `usage: npm run crawl-kills -- [--pages 5000] [--sessions 4]

Crawls a local site with real browsers, on two gateways and two hosts with PostgreSQL. On the way it kills a gateway and a
host. Fails unless each page is in the results once and the bills agree with the sessions.`;

const { values } = parseArgs({
  options: {
    pages: { type: 'string', default: '5000' },
    sessions: { type: 'string', default: '4' },
    help: { type: 'boolean', default: false },
  },
});
const [pages, sessions] = [Number(values.pages), Number(values.sessions)];
if (values.help || !(pages > 0) || !(sessions > 0)) {
  console.error(usage);
  process.exit(values.help ? 0 : 2);
}
const result = await crawlKills({ pages, sessions, say: (text) => console.error(text) });
console.log(JSON.stringify(result));
process.exitCode = result.failures.length > 0 ? 1 : 0;
