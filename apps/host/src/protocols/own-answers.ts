import type { DriverAnswer } from '@turnpike/contract/host';
import type { ProtocolName } from '@turnpike/contract/protocols';
import { type Answer, textAnswer } from '../relay/answers.ts';

export const notStarted = textAnswer(
  502,
  'PROTOCOL_NOT_STARTED',
  "The session's server for this protocol did not start, or has ended. Try again, or use the CDP URL.",
);

/** The host's own error for a command of WebDriver. */
export const driverError = (message: string): DriverAnswer => ({
  status: 500,
  body: JSON.stringify({ value: { error: 'unknown error', message, stacktrace: '' } }),
});

/** An answer of the host's own as clients of a protocol read it: WebDriver's expect the standard's JSON. */
export function inProtocol(protocol: ProtocolName, answer: Answer): Answer {
  if (protocol !== 'webdriver') return answer;
  const headers = { ...answer.headers, 'cache-control': 'no-cache' };
  const type = 'application/json; charset=utf-8';
  return { ...driverError(String(answer.body).trim()), type, headers };
}
