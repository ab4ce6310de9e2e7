import type { Protocol } from 'devtools-protocol';

/** Has the browser attach the host to every new target, stopped before its first script. */
export const autoAttach: Protocol.Target.SetAutoAttachRequest = {
  autoAttach: true,
  waitForDebuggerOnStart: true,
  flatten: true,
};

/**
 * The same for a target's own frames and workers. The browser itself announces shared and service workers. A page
 * announces a service worker before its script is requested, in time to rewrite the request.
 */
export const throughTarget = (serviceWorkers: boolean): Protocol.Target.SetAutoAttachRequest => ({
  ...autoAttach,
  filter: [
    { type: 'service_worker', exclude: !serviceWorkers },
    { type: 'shared_worker', exclude: true },
    {},
  ],
});
