import { ClientSocket } from '../switchboard/client/client-socket.ts';

/**
 * For tests only: the program of the switchboard's thread, with handlers that do not return from a message that says
 * so: on its way to the browser, and on its way to the client.
 */

const marker = 'endless loop';

function loopIfAsked(bytes: Buffer, start: number, end: number): void {
  if (bytes.subarray(start, end).includes(marker)) for (;;);
}

const { deliver, pass } = ClientSocket.prototype;
ClientSocket.prototype.deliver = function (cdpSessionId, bytes, start, end) {
  loopIfAsked(bytes, start, end);
  deliver.call(this, cdpSessionId, bytes, start, end);
};
ClientSocket.prototype.pass = function (message, cdpSessionId) {
  loopIfAsked(message, 0, message.length);
  pass.call(this, message, cdpSessionId);
};

await import('../switchboard/thread/thread.ts');
