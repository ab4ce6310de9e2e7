import type { RecordedEvent } from '@turnpike/contract/recording';
import { bytes, counted } from '../parts/values/figures.ts';

interface EventText {
  name: string;
  detail: string;
}

const no = (name: string): EventText => ({ name, detail: '' });

type Texts = {
  [Kind in RecordedEvent['kind']]?: (event: Extract<RecordedEvent, { kind: Kind }>) => EventText;
};

/** What is written of each kind that the list of events shows. */
const texts: Texts = {
  start: ({ stealth, bodies, headless }) => ({
    name: 'Recording started',
    detail: [
      headless ? 'headless' : '',
      bodies ? 'with bodies' : '',
      stealth ? 'console left out, because of stealth' : '',
    ]
      .filter(Boolean)
      .join(', '),
  }),
  'tab.opened': ({ tab, url }) => ({ name: `Tab ${tab} opened`, detail: url }),
  'tab.changed': ({ tab, title, url }) => ({ name: `Tab ${tab} changed`, detail: title || url }),
  'tab.shown': ({ tab }) => no(`Tab ${tab} shown`),
  'tab.closed': ({ tab }) => no(`Tab ${tab} closed`),
  'tab.crashed': ({ tab }) => no(`Tab ${tab} crashed`),
  navigated: ({ url, isMainFrame }) => ({ name: isMainFrame ? 'Navigated' : 'Frame navigated', detail: url }),
  dialog: ({ type, message }) => ({ name: `Dialog: ${type}`, detail: message }),
  'dialog.closed': ({ accepted }) => no(accepted ? 'Dialog accepted' : 'Dialog dismissed'),
  download: ({ name, url }) => ({ name: 'Download started', detail: `${name} from ${url}` }),
  'download.done': ({ state, bytes: size }) => ({ name: `Download ${state}`, detail: bytes(size) }),
  'client.connected': ({ client }) => no(`Client ${client} connected`),
  'client.disconnected': ({ client }) => no(`Client ${client} disconnected`),
  person: ({ action }) => ({
    name: 'A person used the live view',
    detail: action === 'keys' ? 'keyboard' : 'pointer',
  }),
  'proxy.failed': ({ host, port, proxy, cause }) => ({
    name: 'Proxy failed',
    detail: `${host}:${port}: ${proxy} ${cause}`,
  }),
  paused: ({ by }) => ({ name: 'Client paused', detail: `by ${by}` }),
  resumed: ({ by }) => ({ name: 'Client resumed', detail: `by ${by}` }),
  dropped: ({ what, count }) => ({
    name: 'Part left out',
    detail:
      what === 'milliseconds'
        ? `the last ${Math.ceil(count / 1000)} s could not be stored`
        : `${counted(count, what.replace(/ies$/, 'y').replace(/s$/, ''))} too many for the host`,
  }),
  end: ({ reason }) => ({ name: 'Recording ended', detail: reason.replaceAll('_', ' ') }),
};

export function eventText(event: RecordedEvent): EventText {
  const write = texts[event.kind] as ((event: RecordedEvent) => EventText) | undefined;
  return write ? write(event) : no(event.kind);
}
