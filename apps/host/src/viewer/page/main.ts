import { Clipboard, copyText } from './clipboard.ts';
import { Connection } from './connection.ts';
import type { Notice } from './endings.ts';
import { listenToTouchKeyboard } from './keyboard.ts';

/** Every id is in `index.html`. */
const element = <E extends HTMLElement = HTMLElement>(id: string) => document.getElementById(id) as E;
const { body } = document;
const screen = element('screen');
const viewOnly = body.dataset['mode'] === 'view-only';
const page = new URL(location.pathname, location.href);

const socketUrl = new URL(`${page.pathname}/socket`, page);
socketUrl.protocol = page.protocol.replace('http', 'ws');

const connection = new Connection({
  url: socketUrl.href,
  target: screen,
  viewOnly,
  onConnected(rfb) {
    show('connected', 'Live');
    clipboard.attach(rfb);
    if (!viewOnly && document.hasFocus()) rfb.focus();
  },
  onInterrupted: (notice) => show('interrupted', 'Connecting…', notice),
  onEnded(notice) {
    show('ended', 'Ended', notice);
    element('clipboard').hidden = true;
    document.title = `${notice.title} · Turnpike`;
  },
});
const clipboard = new Clipboard(
  {
    panel: element('clipboard'),
    text: element<HTMLTextAreaElement>('clipboard-text'),
    button: element('clipboard-button'),
    send: element('clipboard-send'),
    copy: element('clipboard-copy'),
  },
  () => connection.rfb,
);

function show(
  state: 'connecting' | 'connected' | 'interrupted' | 'ended',
  status: string,
  notice?: Notice,
): void {
  body.dataset['state'] = state;
  element('status-text').textContent = status;
  element('notice').hidden = !notice;
  element('notice-title').textContent = notice?.title ?? '';
  element('notice-text').textContent = notice?.text ?? '';
  element('retry-button').hidden = state !== 'interrupted';
}

element('retry-button').addEventListener('click', () => {
  show('connecting', 'Connecting…');
  connection.connect();
});

// A person who comes back to the window means to type into the session.
addEventListener('focus', () => {
  if (!viewOnly && element('clipboard').hidden) connection.rfb?.focus();
});
if (!viewOnly) {
  clipboard.listen(screen);
  listenToTouchKeyboard(
    { button: element('keyboard-button'), input: element<HTMLTextAreaElement>('keyboard-input') },
    () => connection.rfb,
  );
}

const fullscreen = element('fullscreen-button');
fullscreen.hidden = !document.fullscreenEnabled;
fullscreen.addEventListener('click', async () => {
  if (document.fullscreenElement) await document.exitFullscreen();
  else await document.documentElement.requestFullscreen();
  connection.rfb?.focus();
});
document.addEventListener('fullscreenchange', () => {
  fullscreen.textContent = document.fullscreenElement ? 'Exit full screen' : 'Full screen';
});

const link = element('link-button');
link.addEventListener('click', async () => {
  const copied = await copyText(new URL(body.dataset['viewOnlyToken'] ?? '', page).href);
  const label = link.textContent;
  link.textContent = copied ? 'Copied' : 'Could not copy';
  setTimeout(() => {
    link.textContent = label;
  }, 1500);
});

connection.connect();
