import type { Attack } from '../attack.ts';

/** What the browser writes about a line of the console, and the length of a form: pages send these, not the client. */
const lineBytes = 300;
const formBytes = 61_000;

export const recordingAttacks: Attack[] = [
  {
    row: 1,
    name: 'a recorded page logs, posts and shows what masks look for',
    async play({ page, scaled, sent }) {
      const cdp = await page('recorded');
      const times = scaled(20);
      sent(4 * scaled(4000) * (times + 1) + 5 * scaled(16_000));
      await cdp.evaluate(`for (let i = 0; i < ${times}; i++) console.log('eyJ-'.repeat(${scaled(4000)})); 1`);
      await cdp.evaluate(
        `fetch('/post', { method: 'POST', body: 'eyJ-'.repeat(${scaled(16_000)}) }).then(() => 1, () => 0)`,
      );
      await cdp.evaluate(
        `fetch('/a', { headers: { Authorization: 'Bearer' + ' '.repeat(${scaled(16_000)}) + 'x' } }).then(() => 1, () => 0)`,
      );
      await cdp.evaluate(`history.replaceState(0, '', '/?' + 'eyJ-'.repeat(${scaled(4000)})); 1`);
    },
  },
  {
    row: 9,
    name: 'a recorded page floods its console',
    async play({ page, scaled, sent }) {
      const cdp = await page('recorded');
      sent(lineBytes * scaled(30_000));
      await cdp.evaluate(`for (let i = 0; i < ${scaled(30_000)}; i++) console.log('line ' + i); 1`);
    },
  },
  {
    row: 11,
    name: 'a recorded page posts forms that teach secrets',
    async play({ page, scaled, sent }) {
      const cdp = await page('recorded');
      sent(formBytes * scaled(30));
      const form =
        "Array.from({ length: 1500 }, (_, j) => 'password' + j + '=s3cret-' + i + '-' + j + '-' + Math.random()).join('&')";
      await cdp.evaluate(
        `(async () => { for (let i = 0; i < ${scaled(30)}; i++) await fetch('/form', { method: 'POST', body: ${form}, headers: { 'content-type': 'application/x-www-form-urlencoded' } }).catch(() => 0); })()`,
      );
    },
  },
  {
    row: 12,
    name: 'keys for made-up sessions of a recorded browser',
    async play({ page, scaled }) {
      const cdp = await page('recorded');
      for (let i = 0; i < scaled(300); i++) {
        const sessionId = `${i}-${Math.random()}-${'s'.repeat(60_000)}`;
        cdp.send(
          JSON.stringify({
            id: 1_000_000 + i,
            method: 'Input.dispatchKeyEvent',
            params: { type: 'char', text: 'a' },
            sessionId,
          }),
        );
      }
      await cdp.call('Browser.getVersion', {}, '');
    },
  },
  {
    row: 17,
    name: 'methods that are members of every object, while recorded',
    async play({ page, scaled }) {
      const cdp = await page('recorded');
      for (let i = 0; i < scaled(3000); i++) cdp.send(`{"id":${2_000_000 + i},"method":"constructor"}`);
      await cdp.call('Browser.getVersion', {}, '');
    },
  },
];
