import type { Attack } from '../attack.ts';

const answer = (socket: { write(text: string): boolean }, type: string, length: number) =>
  socket.write(`HTTP/1.1 200 OK\r\nContent-Type: ${type}\r\nContent-Length: ${length}\r\n\r\n`);

/** Pages that keep what reads them busy. */
const documents = [
  '<script>for (;;) alert(1)</script>',
  '<script>for (;;) {}</script>',
  '<script>for (let i = 0; i < 3000; i++) console.error("x".repeat(2000), i)</script>',
  '<script>for (let i = 0; i < 30; i++) open("about:blank")</script>',
  '<body hidden><script>for (let i = 0; i < 300; i++) document.body.append("x".repeat(100000))</script>',
  '<meta http-equiv="refresh" content="0"><h1>again</h1>',
  `<body>${'<div>'.repeat(20_000)}deep`,
];

export const pageAttacks: Attack[] = [
  {
    row: 19,
    name: 'page calls for pages that never end, flood and grow',
    async play({ account, site, random, sent }) {
      site.answers.set('large', (socket) => {
        answer(socket, 'application/octet-stream', 2 ** 30);
        const chunk = Buffer.alloc(2 ** 18);
        const send = () => {
          while (!socket.destroyed && socket.write(chunk));
        };
        socket.on('drain', send);
        send();
      });
      site.answers.set('silent', (socket) => answer(socket, 'text/html', 100));
      const pages = [
        ...documents.map((html) => ({ html })),
        { url: `${site.origin}/large` },
        { url: `${site.origin}/silent` },
      ];
      const call = async () => {
        const page = random.pick(pages);
        const body = { ...page, formats: ['content', 'markdown', 'links'], gotoOptions: { timeout: 1500 } };
        sent(JSON.stringify(body).length);
        await account.post('/api/page', { proxy: account.proxy, ...body });
      };
      // Its other sessions leave it three at once.
      await Promise.all([call(), call(), call()]);
    },
  },
];
