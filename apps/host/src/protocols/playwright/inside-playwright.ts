import { createServer } from 'node:http';
import type { Inside } from '../inside/inside.ts';

export default async function serve(inside: Inside): Promise<void> {
  const server = createServer(async (request, response) => {
    const socket = await inside.connectDevTools();
    socket.write('GET /json/version HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
    let text = '';
    for await (const chunk of socket) text += chunk;
    response.end(JSON.stringify({ url: request.url, version: text, home: process.env['HOME'] }));
  });
  inside.onClient((socket) => server.emit('connection', socket));
}
