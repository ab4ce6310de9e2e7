import type { Attack, AttackTools } from '../attack.ts';

/** A request for a recording's export, on a connection that may stay open. */
async function asked({ sessionId, account }: AttackTools, format: string): Promise<string> {
  const path = `/api/browser/${await sessionId('recorded')}/recording/export?format=${format}`;
  return `GET ${path} HTTP/1.1\r\nHost: gateway\r\nx-api-key: ${account.key}\r\n\r\n`;
}

export const readAttacks: Attack[] = [
  {
    row: 14,
    name: 'connections that ask for a recording and do not read',
    async play(tools) {
      const request = await asked(tools, 'ndjson');
      const ask = () => tools.raw(tools.gatewayUrl, request, { reads: false, ms: 200 + 2000 * tools.scale });
      await Promise.all(Array.from({ length: tools.scaled(200) }, ask));
    },
  },
  {
    row: 15,
    name: 'looping exports of a video',
    async play(tools) {
      const request = await asked(tools, 'webm');
      const ask = () => tools.raw(tools.gatewayUrl, request, { ms: 200 + 2000 * tools.scale });
      await Promise.all(Array.from({ length: tools.scaled(4) }, ask));
    },
  },
  {
    row: 16,
    name: 'large unsigned calls',
    // The all-in-one service has no private port: a stranger has the public one to send a large body to.
    async play({ raw, gatewayUrl, scaled }) {
      const body = Buffer.alloc(scaled(8 * 2 ** 20), 'x');
      const head = `POST /api/browser/create HTTP/1.1\r\nHost: gateway\r\nContent-Length: ${body.length}\r\n\r\n`;
      await Promise.all(
        Array.from({ length: 4 }, () => raw(gatewayUrl, Buffer.concat([Buffer.from(head), body]))),
      );
    },
  },
];
