import { Clipboard, copyText } from './clipboard.js';
import { Connection } from './connection.js';
import { listenToTouchKeyboard } from './keyboard.js';

const element = (id) => document.getElementById(id);
const { body } = document;
const screen = element('screen');
const viewOnly = body.dataset.mode === 'view-only';
const page = new URL(location.pathname, location.href);

const socketUrl = new URL(`${page.pathname}/socket`, page);
socketUrl.protocol = page.protocol.replace('http', 'ws');

const connection = new Connection({ url: socketUrl.href, target: screen, viewOnly });
const clipboard = new Clipboard(
  {
    panel: element('clipboard'),
    text: element('clipboard-text'),
    button: element('clipboard-button'),
    send: element('clipboard-send'),
    copy: element('clipboard-copy'),
  },
  () => connection.rfb,
);

function show(state, status, notice) {
  body.dataset.state = state;
  element('status-text').textContent = status;
  element('notice').hidden = !notice;
  element('notice-title').textContent = notice?.[0] ?? '';
  element('notice-text').textContent = notice?.[1] ?? '';
  element('retry-button').hidden = state !== 'interrupted';
}

connection.addEventListener('connected', ({ detail: rfb }) => {
  show('connected', 'Live');
  clipboard.attach(rfb);
  if (!viewOnly && document.hasFocus()) rfb.focus();
});
connection.addEventListener('interrupted', ({ detail }) => show('interrupted', 'Connecting…', detail));
connection.addEventListener('ended', ({ detail }) => {
  show('ended', 'Ended', detail);
  element('clipboard').hidden = true;
  document.title = `${detail[0]} · Turnpike`;
});
element('retry-button').addEventListener('click', () => {
  show('connecting', 'Connecting…');
  connection.connect();
});

// Whoever comes back to the window means to type into the session.
addEventListener('focus', () => {
  if (!viewOnly && element('clipboard').hidden) connection.rfb?.focus();
});
if (!viewOnly) {
  clipboard.listen(screen);
  listenToTouchKeyboard(
    { button: element('keyboard-button'), input: element('keyboard-input') },
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
  fullscreen.textContent = document.fullscreenElement ? 'Leave full screen' : 'Full screen';
});

const link = element('link-button');
link.addEventListener('click', async () => {
  const copied = await copyText(new URL(body.dataset.viewOnlyToken, page).href);
  const words = link.textContent;
  link.textContent = copied ? 'Copied' : 'Could not copy';
  setTimeout(() => {
    link.textContent = words;
  }, 1500);
});

connection.connect();
