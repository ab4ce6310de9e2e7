import type { CalledPage } from '../called-page.ts';

/** What is kept of bodies, for documents that are no HTML. In the browser's memory, so the session's. */
const bodyBytes = 33 * 2 ** 20;

/**
 * Sends what has to come before the document. Nothing is waited for that the browser does in the order of the commands.
 */
export async function setUpPage(page: CalledPage): Promise<void> {
  const { devtools } = page;
  devtools.tell('Page.enable', {});
  devtools.tell('Inspector.enable', {});
  devtools.tell('Network.enable', { maxTotalBufferSize: bodyBytes, maxResourceBufferSize: bodyBytes });
  devtools.tell('Page.setLifecycleEventsEnabled', { enabled: true });
  devtools.tell('Runtime.enable', {});
}
