import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { defaultText, type Setting, settingGroups } from '@turnpike/process/settings/setting-table';

/** Writes docs/settings.md from the table of settings. With --check it only compares. */
const file = 'docs/settings.md';
const path = join(import.meta.dirname, '../..', file);
const commands = {
  up: '`turnpike up` (`npm start`)',
  gateway: '`turnpike gateway`',
  host: '`turnpike host`',
  proxy: '`turnpike proxy`',
};

/** `Time limit of a create, in seconds. From 1 to 120. See [cluster](cluster.md).` */
function sentences(row: Setting): string {
  const range = row.kind === 'integer' ? ` From ${row.min} to ${row.max}.` : '';
  const choices =
    row.kind === 'choice' ? ` One of ${row.choices.map((each) => `\`${each}\``).join(', ')}.` : '';
  const page = row.page ? ` See [${row.page}](${row.page}.md).` : '';
  return `${row.help}.${range}${choices}${page}`;
}

const sections = settingGroups.map(({ title, parts, rows }) => {
  const readers = parts.map((part) => commands[part]).join(', ');
  const lines = Object.entries(rows).map(
    ([name, row]) => `| \`${name}\` | ${defaultText(row)} | ${sentences(row)} |\n`,
  );
  const intro = readers === '' ? 'The service itself does not read these.' : `Read by ${readers}.`;
  return `## ${title}\n\n${intro}\n\n| variable | default | |\n|---|---|---|\n${lines.join('')}`;
});

const text = `# Settings

<!-- Written by npm run settings from packages/process/src/settings/setting-table.ts: do not edit. -->

Settings are environment variables. An empty variable is the same as none. An invalid value stops the start with a message that names it, and so does a misspelt name: \`TURNPIKE_PROT is not a setting of Turnpike; did you mean TURNPIKE_PORT?\` Other variables that begin with \`TURNPIKE_\` are logged as unknown. \`turnpike doctor\` checks all of this without starting anything.

Port 0 lets the system choose a free port.

${sections.join('\n')}
## Variables of others

- \`AWS_ENDPOINT_URL_S3\`, \`AWS_REGION\`, \`AWS_ACCESS_KEY_ID\` and the like are for recordings in \`s3://\`, with Amazon's own names. See [recordings](recordings.md).
- \`OTEL_EXPORTER_OTLP_ENDPOINT\` and the like send traces of creates, with OpenTelemetry's own names. Without them there are none. See [monitoring](monitoring.md).
- \`NODE_EXTRA_CA_CERTS\` adds certificate authorities to the system's. Certificates of \`https\` proxies are checked against them.
`;

if (!process.argv.includes('--check')) {
  writeFileSync(path, text);
} else if (readFileSync(path, 'utf8') !== text) {
  console.error(`${file} does not match the table of settings. Run: npm run settings`);
  process.exitCode = 1;
}
