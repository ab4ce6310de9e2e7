// @playwright/mcp, asked for its tools as an agent would, without a model.
import { createRequire } from 'node:module';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';

const { CDP_URL: cdpUrl, SITE: site, LETTER_HERE: letterHere } = process.env;
const outcome = {};
const cli = createRequire(import.meta.url)
  .resolve('@playwright/mcp/package.json')
  .replace('package.json', 'cli.js');

async function connect() {
  const args = [cli, '--cdp-endpoint', cdpUrl, '--allow-unrestricted-file-access'];
  const transport = new StdioClientTransport({
    command: process.execPath,
    args,
    stderr: 'ignore',
    env: process.env,
  });
  const client = new Client({ name: 'real-clients', version: '1' });
  await client.connect(transport);
  return client;
}

let client = await connect();
const call = async (name, parameters = {}) => {
  const { content, isError } = await client.callTool({ name, arguments: parameters });
  const text = content.map((part) => part.text ?? '').join('\n');
  if (isError) throw new Error(`${name}: ${text}`);
  return { text, content };
};
/** The reference that the snapshot gives an element. */
const target = async (pattern) => {
  const { text } = await call('browser_snapshot');
  return new RegExp(`${pattern}.*\\[ref=(\\w+)\\]`).exec(text)?.[1] ?? text;
};
const on = async (pattern) => {
  const ref = await target(pattern);
  return { element: pattern, ref, target: ref };
};
const read = async (source) =>
  /### Result\n"?(.*?)"?\n/.exec((await call('browser_evaluate', { function: source })).text)?.[1];

await call('browser_tabs', { action: 'new' });
await call('browser_navigate', { url: `${site}/` });
await call('browser_click', await on('button "Press"'));
await call('browser_type', { ...(await on('textbox "Name"')), text: 'Ada' });
await call('browser_click', await on('link "Report"'));
await call('browser_click', await on('button "Letter"'));
await call('browser_file_upload', { paths: [letterHere] });
outcome.uploaded = await read(
  'async () => { while (!out.textContent) await new Promise(requestAnimationFrame); return out.textContent }',
);
const { content } = await call('browser_take_screenshot', { type: 'png' });
const image = content.find(({ type }) => type === 'image');
outcome.picture = Buffer.from(image?.data ?? '', 'base64')
  .subarray(1, 4)
  .toString();
await call('browser_tabs', { action: 'new' });
await call('browser_navigate', { url: `${site}/second` });
outcome.second = await read('() => document.title');
await client.close();

client = await connect();
const { text } = await call('browser_tabs', { action: 'list' });
const tabs = text.split('\n').filter((line) => line.includes(`${site}/`));
outcome.tabs = tabs.length;
const index = Number(/(\d+):/.exec(tabs.find((line) => line.includes('Shop')) ?? '')?.[1]);
await call('browser_tabs', { action: 'select', index });
outcome.pressed = await read('() => document.querySelector("#press").textContent');
outcome.filled = await read('() => document.querySelector("#name").value');
await client.close();
console.log(JSON.stringify(outcome));
