import type { Server } from 'node:http';
import type { FastifyReply } from 'fastify';

/**
 * When a client that says it sends no more is asked whether it still listens. A connection that is closed refuses what
 * follows the first of these; clients bear a few (Go's at most five), and the last is later than any round trip.
 */
const probesMs = [0, 250, 2000, 10_000];

/** A client may close its side of the connection after its request (`nc -N`), and still gets its answer. */
export function answerHalfClosed(server: Server): void {
  // Not in the types: without it Node closes the other side too, answered or not.
  Object.assign(server, { httpAllowHalfOpen: true });
}

/**
 * Aborts when the client goes away before it has its whole answer. One that closed its side may have gone, or may be
 * listening still: an interim `100 Continue` tells, since it cannot be sent to one that has gone.
 */
export function hangUp(reply: FastifyReply): AbortSignal {
  const controller = new AbortController();
  const { raw } = reply;
  const { socket, httpVersion } = reply.request.raw;
  const timers: NodeJS.Timeout[] = [];
  const probe = () => {
    if (!raw.headersSent) raw.writeContinue();
  };
  const onEnd = () => {
    // Half an answer is of no use to whoever left, and HTTP/1.0 has no interim answers.
    if (raw.headersSent || httpVersion === '1.0') controller.abort();
    else timers.push(...probesMs.map((ms) => setTimeout(probe, ms)));
  };
  // It may have come with the request.
  if (socket.readableEnded) onEnd();
  else socket.once('end', onEnd);
  raw.once('close', () => {
    socket.off('end', onEnd);
    for (const timer of timers) clearTimeout(timer);
    if (!raw.writableFinished) controller.abort();
  });
  return controller.signal;
}

/** For an answer without an end: whoever closes its side has had enough of it. */
export function endWithClient({ raw, request }: FastifyReply): void {
  const { socket } = request.raw;
  if (socket.readableEnded) raw.destroy();
  else socket.once('end', () => raw.destroy());
}
