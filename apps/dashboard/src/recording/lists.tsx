import { Tabs, TextInput } from '@mantine/core';
import { type RefObject, useMemo, useState } from 'react';
import { Icon } from '../parts/icons.tsx';
import { Empty } from '../parts/states.tsx';
import { bytes, count } from '../parts/values/figures.ts';
import { ActionList } from './action-list.tsx';
import { Details } from './details.tsx';
import { eventText } from './event-text.ts';
import { clock } from './moments.ts';
import type { RecordingStore, RecordingView } from './recording-store.ts';
import { RowList } from './row-list.tsx';
import {
  type ActionRow,
  type CommandRow,
  type ConsoleRow,
  type EventRow,
  type NetworkRow,
  search,
} from './rows.ts';
import { milliseconds, shortUrl } from './text.ts';
import { barOf, waterfallRange } from './waterfall.ts';

export type ListName = 'actions' | 'commands' | 'network' | 'console' | 'events';
type AnyRow = ActionRow | CommandRow | NetworkRow | ConsoleRow | EventRow;

const names: readonly [ListName, string][] = [
  ['actions', 'Actions'],
  ['commands', 'Commands'],
  ['network', 'Network'],
  ['console', 'Console'],
  ['events', 'Events'],
];

interface ListsProps {
  store: RecordingStore;
  view: RecordingView;
  t: number;
  onSeek(t: number): void;
  searchInput: RefObject<HTMLInputElement | null>;
  list: ListName;
  onList(list: ListName): void;
}

/** Actions, commands, requests, console and events beside the picture, in step with it. */
export function Lists({ store, view, t, onSeek, searchInput, list, onList }: ListsProps) {
  const [words, setWords] = useState('');
  const [selected, setSelected] = useState<{ list: ListName; key: string } | undefined>();
  const { rows, loadedShare, recording } = view;
  const found = useMemo(
    () => ({
      actions: search(rows.actions, words),
      commands: search(rows.commands, words),
      network: search(rows.network, words),
      console: search(rows.console, words),
      events: search(rows.events, words),
    }),
    [rows, words],
  );
  const row = selected?.list === list ? found[list].find(({ key }) => key === selected.key) : undefined;
  const common = (name: ListName) => ({
    t,
    selected: selected?.list === name ? selected.key : undefined,
    onSelect: (chosen: AnyRow) => {
      setSelected({ list: name, key: chosen.key });
      onSeek(chosen.t);
    },
    empty: <NoRows isSearch={words.trim() !== ''} isComplete={loadedShare >= 1} list={name} />,
  });
  const isStealth = view.events.some((event) => event.kind === 'start' && event.stealth);
  return (
    <section className="card lists" aria-label="What happened">
      <Tabs value={list} onChange={(value) => onList((value ?? 'actions') as ListName)} keepMounted={false}>
        <div className="lists-head">
          <Tabs.List>
            {names.map(([name, label]) => (
              <Tabs.Tab key={name} value={name}>
                {label} <span className="lists-count">{count(found[name].length)}</span>
              </Tabs.Tab>
            ))}
          </Tabs.List>
          <TextInput
            ref={searchInput}
            className="lists-search"
            type="search"
            size="xs"
            aria-label="Search the recording"
            placeholder="Search"
            leftSection={<Icon name="search" size={14} />}
            maxLength={200}
            value={words}
            onChange={(event) => setWords(event.currentTarget.value)}
          />
          <span className="visually-hidden" role="status">
            {words.trim() && `${count(found[list].length)} found`}
          </span>
          {loadedShare < 1 && words.trim() && recording && (
            <span className="faint">{Math.round(loadedShare * 100)} % loaded</span>
          )}
        </div>
        <Tabs.Panel value="actions">
          <ActionList rows={found.actions} {...common('actions')} />
        </Tabs.Panel>
        <Tabs.Panel value="commands">
          <CommandList rows={found.commands} {...common('commands')} />
        </Tabs.Panel>
        <Tabs.Panel value="network">
          <NetworkList rows={found.network} {...common('network')} />
        </Tabs.Panel>
        <Tabs.Panel value="console">
          {isStealth ? (
            <Empty icon="eye" title="The console was not recorded">
              With <code>stealth=true</code> nothing listens to it, so that pages do not notice.
            </Empty>
          ) : (
            <ConsoleList rows={found.console} {...common('console')} />
          )}
        </Tabs.Panel>
        <Tabs.Panel value="events">
          <EventList rows={found.events} {...common('events')} />
        </Tabs.Panel>
      </Tabs>
      {row && (
        <Details
          row={row}
          store={store}
          view={view}
          onCommands={() => onList('commands')}
          onClose={() => setSelected(undefined)}
        />
      )}
    </section>
  );
}

const nothing: Readonly<Record<ListName, string>> = {
  actions: 'No actions',
  commands: 'No commands',
  network: 'No requests',
  console: 'Nothing in the console',
  events: 'No events',
};

function NoRows({ isSearch, isComplete, list }: { isSearch: boolean; isComplete: boolean; list: ListName }) {
  if (isSearch) return <Empty icon="search" title="Nothing matches" />;
  return <Empty icon="events" title={isComplete ? nothing[list] : 'Loading'} />;
}

type Common<Row> = Pick<Parameters<typeof RowList<never>>[0], 't' | 'selected' | 'empty'> & {
  rows: readonly Row[];
  onSelect(row: Row): void;
};

function CommandList({ rows, ...common }: Common<CommandRow>) {
  return (
    <RowList {...common} label="Commands" className="command-rows" rows={rows}>
      {({ t, command, done }) => (
        <>
          <span className="row-time">{clock(t)}</span>
          <span className="row-name mono">{command.method}</span>
          <span className="row-note">{done?.error ?? paramsText(command.params)}</span>
          <span className="row-number">{done ? milliseconds(done.ms) : '…'}</span>
        </>
      )}
    </RowList>
  );
}

const paramsText = (params: unknown): string => {
  const text = params === undefined ? '' : JSON.stringify(params);
  return text === '{}' ? '' : text.slice(0, 200);
};

function NetworkList({ rows, ...common }: Common<NetworkRow>) {
  return (
    <>
      <div className="network-rows rows-head" aria-hidden="true">
        <span>Method</span>
        <span>Address</span>
        <span>Status</span>
        <span className="network-type">Type</span>
        <span className="row-number">Size</span>
        <span className="row-number">Time</span>
        <span className="network-bar">Waterfall</span>
      </div>
      <RowList {...common} label="Requests" className="network-rows" rows={rows}>
        {(row, inSight) => (
          <>
            <span className="mono">{row.request.method}</span>
            <span className="row-name" title={row.request.url}>
              {shortUrl(row.request.url)}
            </span>
            <span className="network-status">{statusText(row)}</span>
            <span className="network-type">{row.request.type}</span>
            <span className="row-number">{sizeText(row)}</span>
            <span className="row-number">{durationText(row)}</span>
            <WaterfallBar row={row} inSight={inSight} now={common.t} />
          </>
        )}
      </RowList>
    </>
  );
}

const statusText = ({ response, failed }: NetworkRow): string => {
  if (failed) return failed.isCanceled ? 'Canceled' : 'Failed';
  return response ? String(response.status) : '…';
};
const sizeText = ({ done, response }: NetworkRow): string =>
  response?.fromCache ? 'cache' : done ? bytes(done.bytes) : '–';
const durationText = ({ t, endMs }: NetworkRow): string =>
  endMs === undefined ? '…' : milliseconds(endMs - t);

const percent = (share: number): string => `${(share * 100).toFixed(2)}%`;

function WaterfallBar({
  row,
  inSight,
  now,
}: {
  row: NetworkRow;
  inSight: readonly NetworkRow[];
  now: number;
}) {
  const { start, waiting, receiving } = barOf(row, waterfallRange(inSight, now), now);
  return (
    <span className="network-bar" aria-hidden="true">
      <span className="bar-waiting" style={{ left: percent(start), width: percent(waiting) }} />
      <span className="bar-receiving" style={{ left: percent(start + waiting), width: percent(receiving) }} />
    </span>
  );
}

function ConsoleList({ rows, ...common }: Common<ConsoleRow>) {
  return (
    <RowList {...common} label="Console" className="console-rows" rows={rows}>
      {({ t, event }) => (
        <>
          <span className="row-time">{clock(t)}</span>
          <span className="console-level">{levelOf(event)}</span>
          <span className="row-name mono">{event.text}</span>
        </>
      )}
    </RowList>
  );
}

const levelOf = (event: ConsoleRow['event']): string =>
  event.kind === 'exception' ? 'exception' : event.level;

function EventList({ rows, ...common }: Common<EventRow>) {
  return (
    <RowList {...common} label="Events" className="event-rows" rows={rows}>
      {({ t, event }) => (
        <>
          <span className="row-time">{clock(t)}</span>
          <span className="event-name">{eventText(event).name}</span>
          <span className="row-note">{eventText(event).detail}</span>
        </>
      )}
    </RowList>
  );
}
