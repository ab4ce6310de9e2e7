import type { Server } from 'node:http';
import type { FastifyReply } from 'fastify';

/**
 * When a client that closed its sending side is probed, to find out whether it still listens. A closed connection
 * rejects what follows the first probe. Clients accept a few (Go's at most five); the last is later than any round trip.
 */
const probesMs = [0, 250, 2000, 10_000];

/** Lets a client close its sending side after the request (`nc -N`) and still get its answer. */
export function allowHalfOpen(server: Server): void {
  // Missing from the types. Without it Node closes the other side too, answered or not.
  Object.assign(server, { httpAllowHalfOpen: true });
}

/**
 * Returns a signal that aborts when the client disconnects before it has its whole answer. A client that closed its
 * sending side may be gone or may still listen. An interim `100 Continue` tells: it cannot reach one that is gone.
 */
export function disconnectSignal(reply: FastifyReply): AbortSignal {
  const controller = new AbortController();
  const { raw } = reply;
  const { socket, httpVersion } = reply.request.raw;
  const timers: NodeJS.Timeout[] = [];
  const probe = () => {
    if (!raw.headersSent) raw.writeContinue();
  };
  const onEnd = () => {
    // A client that has half an answer does not stay for the rest, and HTTP/1.0 has no interim answers.
    if (raw.headersSent || httpVersion === '1.0') controller.abort();
    else timers.push(...probesMs.map((ms) => setTimeout(probe, ms)));
  };
  // The end may have come with the request.
  if (socket.readableEnded) onEnd();
  else socket.once('end', onEnd);
  raw.once('close', () => {
    socket.off('end', onEnd);
    for (const timer of timers) clearTimeout(timer);
    if (!raw.writableFinished) controller.abort();
  });
  return controller.signal;
}

/** Ends an endless answer (an event stream) when the client closes its side. */
export function endOnDisconnect({ raw, request }: FastifyReply): void {
  const { socket } = request.raw;
  if (socket.readableEnded) raw.destroy();
  else socket.once('end', () => raw.destroy());
}
