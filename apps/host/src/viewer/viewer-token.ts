import { createHmac } from 'node:crypto';

/**
 * The token of the view-only live view. It is derived from the full token, so that it need not be stored, and the full
 * token cannot be derived from it: a view-only link can be shared.
 */
export function viewOnlyToken(viewerToken: string): string {
  return createHmac('sha256', viewerToken).update('view only').digest('hex').slice(0, 40);
}
