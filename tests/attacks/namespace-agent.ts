import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { connect, createServer } from 'node:net';

/** Run inside the harness's namespace: makes sockets there and hands them out, as often as it is asked. */
export interface AgentRequest {
  id: number;
  make: 'listener' | 'connection' | 'datagrams';
  host: string;
  port: number;
}

export interface AgentAnswer {
  id: number;
  error?: string;
}

async function make({ make: kind, host, port }: AgentRequest) {
  if (kind === 'listener') {
    const server = createServer();
    server.listen(port, host);
    await once(server, 'listening');
    return { handle: server, drop: () => void server.close() };
  }
  if (kind === 'connection') {
    const socket = connect(port, host).pause(); // What it reads here would be lost there.
    await once(socket, 'connect');
    return { handle: socket, drop: () => {} };
  }
  const socket = createSocket(host.includes(':') ? 'udp6' : 'udp4');
  socket.bind(port, host);
  await once(socket, 'listening');
  return { handle: socket, drop: () => void socket.close() };
}

process.on('message', async (request: AgentRequest) => {
  const { id } = request;
  try {
    const { handle, drop } = await make(request);
    process.send?.({ id } satisfies AgentAnswer, handle, {}, drop);
  } catch (error) {
    process.send?.({ id, error: (error as Error).message } satisfies AgentAnswer);
  }
});
process.on('disconnect', () => process.exit());
process.send?.({ id: 0 } satisfies AgentAnswer);
