import { sessionIdMember } from './cdp/session-tail.ts';

/** Why a client's WebSocket is closed by the host. A reason has at most 123 bytes (RFC 6455, 5.5). */
export interface Refusal {
  code: number;
  reason: string;
}

/** Chromium's `kReceiveBufferSizeForDevTools`: a message that fills it before its zero byte closes the pipe. */
const pipeBufferBytes = 100 * 2 ** 20;
const zeroByte = 1;
/** What the host may add to a message. The brace at the end is there already. */
const addedBytes = sessionIdMember('0'.repeat(32)).length - 1;

/** The largest message that a client may send. */
export const maxMessageBytes = pipeBufferBytes - zeroByte - addedBytes;

/** CDP sessions that one client may have. More are refused one by one, or with the client if they came by themselves. */
export const maxClientCdpSessions = 2000;

export const refusals = {
  malformed: { code: 1002, reason: 'not a WebSocket frame that a client may send' },
  binary: { code: 1003, reason: 'DevTools messages are text' },
  zeroByte: { code: 1007, reason: 'a DevTools message must not contain a zero byte' },
  tooLarge: {
    code: 1009,
    reason: `a message may have ${maxMessageBytes} bytes (100 MiB); split it, or upload a file`,
  },
  noRoom: { code: 1009, reason: "the session's buffers are full; send less at once, and read the answers" },
  tooSlow: {
    code: 1009,
    reason: "this client reads too slowly: what waits for it filled the session's buffers",
  },
  resultTooLarge: {
    code: 1009,
    reason: "a result is larger than the session's buffers; ask for less, or in parts",
  },
  tooManySessions: {
    code: 1008,
    reason: 'too many CDP sessions attached themselves to this connection; attach to fewer targets',
  },
  internalError: { code: 1011, reason: 'an error in the service; connect again' },
} as const satisfies Record<string, Refusal>;
