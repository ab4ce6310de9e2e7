import { setTimeout as sleep } from 'node:timers/promises';
import type { Protocol } from 'devtools-protocol';
import type { CalledPage } from '../called-page.ts';
import { CommandError } from '../devtools/devtools.ts';
import { PageError } from '../page-error.ts';
import { callInPage } from '../page-script.ts';
import { RequestRules } from './request-rules.ts';

/** What is kept of bodies, for documents that are no HTML. In the browser's memory, so the session's. */
const bodyBytes = 33 * 2 ** 20;
const portrait = { angle: 0, type: 'portraitPrimary' } as const;
const landscape = { angle: 90, type: 'landscapePrimary' } as const;

/** Sends what has to come before the document, all at once. */
export async function setUpPage(page: CalledPage): Promise<void> {
  const { devtools, parameters, banners } = page;
  const rules = new RequestRules(parameters, banners);
  devtools.tell('Page.enable', {});
  devtools.tell('Inspector.enable', {});
  // Of a tab behind others the browser makes no picture.
  devtools.tell('Page.bringToFront', {});
  const buffers = { maxTotalBufferSize: bodyBytes, maxResourceBufferSize: bodyBytes };
  const heard = Promise.all([
    devtools.send('Network.enable', buffers),
    devtools.send('Page.setLifecycleEventsEnabled', { enabled: true }),
  ]);
  heard.catch(() => {}); // Awaited below.
  devtools.tell('Runtime.enable', {});
  // One that was open before the call would hold the page up. Mostly there is none.
  devtools.tell('Page.handleJavaScriptDialog', { accept: false });
  emulate(page);
  setUpRequests(page, rules, undefined);
  listenToRequests(page, rules);
  listenToFrames(page, rules);
  if (parameters.cookies?.length) await setCookies(page);
  await Promise.race([heard, sleep(hangingMs, undefined, { ref: false })]);
}

/**
 * The browser begins to load before a page's process has heard the commands that came first, and then nothing is known
 * of the document's first moments. A page that hangs does not answer, and is left all the same.
 */
const hangingMs = 1000;

function emulate({ devtools, parameters }: CalledPage): void {
  const { viewport, emulateMediaType, setJavaScriptEnabled } = parameters;
  if (viewport) {
    const {
      width,
      height,
      deviceScaleFactor = 1,
      isMobile = false,
      isLandscape,
      hasTouch = false,
    } = viewport;
    const screenOrientation = isLandscape ? landscape : portrait;
    const metrics = { width, height, deviceScaleFactor, mobile: isMobile, screenOrientation };
    devtools.tell('Emulation.setDeviceMetricsOverride', metrics);
    devtools.tell('Emulation.setTouchEmulationEnabled', { enabled: hasTouch });
  }
  if (emulateMediaType !== undefined)
    devtools.tell('Emulation.setEmulatedMedia', { media: emulateMediaType });
  if (setJavaScriptEnabled === false) devtools.tell('Emulation.setScriptExecutionDisabled', { value: true });
}

/** For the page, or for a frame that has a process and so a CDP session of its own. */
function setUpRequests(
  { devtools, parameters, condition }: CalledPage,
  rules: RequestRules,
  sessionId: string | undefined,
): void {
  const { userAgent, setExtraHTTPHeaders: headers } = parameters;
  if (userAgent !== undefined) devtools.tell('Emulation.setUserAgentOverride', { userAgent }, sessionId);
  if (headers) devtools.tell('Network.setExtraHTTPHeaders', { headers }, sessionId);
  if (rules.refusesWebSockets) {
    const source = callInPage('refuseWebSockets');
    devtools.tell('Page.enable', {}, sessionId);
    devtools.tell('Page.addScriptToEvaluateOnNewDocument', { source, runImmediately: true }, sessionId);
  }
  const interception = rules.interception(sessionId === undefined && condition !== undefined);
  if (interception) devtools.tell('Fetch.enable', interception, sessionId);
}

function listenToRequests(page: CalledPage, rules: RequestRules): void {
  const { devtools, frameId, parameters, condition } = page;
  if (!rules.interception(condition !== undefined)) return;
  const asked = new Set<string>();
  devtools.on('Fetch.requestPaused', async (paused, sessionId) => {
    const { requestId } = paused;
    const isDocument = paused.resourceType === 'Document' && paused.frameId === frameId;
    if (condition && isDocument) condition.goOn(devtools, paused, sessionId);
    else if (await rules.refuses(paused, frameId))
      devtools.tell('Fetch.failRequest', { requestId, errorReason: 'BlockedByClient' }, sessionId);
    else devtools.tell('Fetch.continueRequest', { requestId }, sessionId);
  });
  devtools.on('Fetch.authRequired', ({ requestId, authChallenge: { source } }, sessionId) => {
    const { username = '', password = '' } = parameters.authenticate ?? {};
    // Who is asked again has been refused. The proxy's sign-in is the host's.
    const isNew = !asked.has(requestId) && source !== 'Proxy' && asked.size < maxAsked;
    asked.add(requestId);
    const authChallengeResponse = isNew
      ? { response: 'ProvideCredentials' as const, username, password }
      : { response: 'CancelAuth' as const };
    devtools.tell('Fetch.continueWithAuth', { requestId, authChallengeResponse }, sessionId);
  });
}

const maxAsked = 10_000;

/** Frames with a process of their own: what they load counts, and the rules hold for them too. */
function listenToFrames(page: CalledPage, rules: RequestRules): void {
  const { devtools, parameters } = page;
  const { userAgent, setExtraHTTPHeaders } = parameters;
  const stopped = Boolean(
    rules.interception() || rules.refusesWebSockets || userAgent || setExtraHTTPHeaders,
  );
  const attach = {
    autoAttach: true,
    waitForDebuggerOnStart: stopped,
    flatten: true,
    filter: [{ type: 'iframe' }, { exclude: true }],
  };
  devtools.tell('Target.setAutoAttach', attach);
  devtools.on('Target.attachedToTarget', ({ sessionId }) => {
    devtools.tell('Network.enable', { maxTotalBufferSize: 0, maxResourceBufferSize: 0 }, sessionId);
    setUpRequests(page, rules, sessionId);
    devtools.tell('Target.setAutoAttach', attach, sessionId);
    if (stopped) devtools.tell('Runtime.runIfWaitingForDebugger', {}, sessionId);
  });
}

async function setCookies({ devtools, parameters }: CalledPage): Promise<void> {
  const { cookies = [], url } = parameters;
  const given = cookies.map((cookie) => ({
    ...cookie,
    ...(cookie.url === undefined && cookie.domain === undefined && url !== undefined && { url }),
  }));
  try {
    await devtools.send('Network.setCookies', { cookies: given as Protocol.Network.CookieParam[] });
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    throw new PageError(
      'PAGE_FAILED',
      `cookies could not be set: ${error.reason}. Each needs a url or a domain.`,
    );
  }
}
