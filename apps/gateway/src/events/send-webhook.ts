import { within } from '@turnpike/process/within';
import type { AddressGuard } from '@turnpike/tunnel/addresses/address-guard';
import { checkedPost, type Message } from '../http/checked-request.ts';

/** Sends a webhook. Resolves with the receiver's status, rejects if there is none in time. Follows no redirects. */
export async function sendWebhook(
  guard: AddressGuard,
  message: Message,
  { timeoutMs, stop }: { timeoutMs: number; stop: AbortSignal },
): Promise<number> {
  using bounds = within(timeoutMs, stop);
  const request = await checkedPost(guard, message, bounds.signal);
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  request.on('response', (response) => {
    response.resume(); // The body does not matter, and is not waited for.
    resolve(response.statusCode ?? 0);
    request.destroy();
  });
  request.on('error', (error) =>
    reject(bounds.isLate ? new Error(`no answer within ${timeoutMs / 1000} seconds`) : error),
  );
  request.end(message.body);
  return await promise;
}
