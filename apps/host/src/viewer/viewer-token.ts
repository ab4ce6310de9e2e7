import { createHmac } from 'node:crypto';

/**
 * The secret of the live view that takes no input. It follows from the full one, so that it needs no keeping, and
 * the full one does not follow from it: so a link to watch may be given away.
 */
export function viewOnlyToken(viewerToken: string): string {
  return createHmac('sha256', viewerToken).update('view only').digest('hex').slice(0, 40);
}
