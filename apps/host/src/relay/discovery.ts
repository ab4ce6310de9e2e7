import type { Browser, BrowserVersion } from '../chromium/browser.ts';
import type { TargetInfo } from '../chromium/controller.ts';

/** `/json/version` in Chromium's own form; `base` is the session's public WebSocket URL. */
export function versionAnswer(version: BrowserVersion, base: string): object {
  const webKit = /AppleWebKit\/([\d.]+)/.exec(version.userAgent)?.[1] ?? '';
  return {
    Browser: version.product,
    'Protocol-Version': version.protocolVersion,
    'User-Agent': version.userAgent,
    'V8-Version': version.jsVersion,
    'WebKit-Version': `${webKit} (${version.revision})`,
    webSocketDebuggerUrl: base,
  };
}

const unlisted = new Set(['browser', 'tab', 'browser_ui']);

/** `/json/list` in Chromium's own form. */
export async function listing({ controller }: Browser, base: string): Promise<object[]> {
  const { targetInfos } = await controller.call<{ targetInfos: TargetInfo[] }>('Target.getTargets');
  return targetInfos
    .filter(({ type }) => !unlisted.has(type))
    .map(({ targetId, type, title, url, parentId }) => ({
      description: '',
      id: targetId,
      ...(parentId === undefined ? {} : { parentId }),
      title,
      type,
      url,
      webSocketDebuggerUrl: `${base}/page/${targetId}`,
    }));
}
