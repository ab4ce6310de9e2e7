import { act, own, type Step } from './step.ts';

/** Commands that mean the same from whatever client. */
const steps = new Map<string, Step>([
  ['Page.reload', act('reload', { loads: true })],
  ['Page.navigateToHistoryEntry', act('go through history', { loads: true })],
  ['Page.captureScreenshot', act('screenshot')],
  ['Page.printToPDF', act('pdf')],
  ['Page.setDocumentContent', act('set content')],
  ['Page.bringToFront', act('bring to front')],
  ['Page.close', act('close page')],
  ['Target.closeTarget', act('close page')],
  ['Target.createTarget', act('new page')],
  ['Target.createBrowserContext', act('new context')],
  ['Target.disposeBrowserContext', act('close context')],
  ['DOM.setFileInputFiles', act('set files', { onFound: true })],
  ['DOM.focus', act('focus', { onFound: true })],
  ['Storage.setCookies', act('set cookies')],
  ['Storage.clearCookies', act('clear cookies')],
  ['Storage.getCookies', act('get cookies')],
  ['Network.setCookie', act('set cookies')],
  ['Network.setCookies', act('set cookies')],
  ['Network.deleteCookies', act('clear cookies')],
  ['Network.clearBrowserCookies', act('clear cookies')],
  ['Network.getCookies', act('get cookies')],
  ['Browser.grantPermissions', act('grant permissions')],
  ['Input.synthesizeTapGesture', act('tap')],
  ['Input.synthesizeScrollGesture', act('scroll')],
]);

export function plainStep(method: string, params: Readonly<Record<string, unknown>>): Step {
  if (method === 'Page.navigate') return act('goto', { detail: String(params['url'] ?? ''), loads: true });
  if (method === 'Page.handleJavaScriptDialog')
    return act(params['accept'] === true ? 'accept dialog' : 'dismiss dialog');
  return steps.get(method) ?? own;
}
