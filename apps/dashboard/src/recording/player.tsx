import { Alert } from '@mantine/core';
import { type ReactNode, useEffect, useMemo, useRef, useState, useSyncExternalStore } from 'react';
import { Icon } from '../parts/icons.tsx';
import { CopyButton } from '../parts/values/copy-button.tsx';
import { Controls } from './controls.tsx';
import { type ListName, Lists } from './lists.tsx';
import { momentOf, nextError, withMoment } from './moments.ts';
import { Picture } from './picture.tsx';
import type { RecordingStore, RecordingView } from './recording-store.ts';
import { tabsAt } from './rows.ts';
import { Scrubber } from './scrubber.tsx';
import { ShortcutHelp, useShortcuts } from './shortcuts.tsx';
import { TabStrip } from './tab-strip.tsx';
import { usePlayback } from './use-playback.ts';
import './recording.css';

interface PlayerProps {
  store: RecordingStore;
  /** Below the picture: what a running session has besides. */
  children?: ReactNode;
}

/** How long the moment stays the same before it is in the address. */
const settledMs = 400;

/** Shows a recording whose index is there. */
export function Player({ store, children }: PlayerProps) {
  const view = useSyncExternalStore(store.subscribe, store.view);
  const { recording } = view;
  const chunks = recording?.chunks ?? [];
  const durationMs = recording?.durationMs ?? 0;
  const isRecording = recording?.state === 'recording';
  const playback = usePlayback({ chunks, durationMs, isRecording, begin: useMoment() });
  const { t, seek, isPlaying } = playback;
  const [help, setHelp] = useState(false);
  const [list, setList] = useState<ListName | undefined>();
  const searchInput = useRef<HTMLInputElement>(null);

  useEffect(() => store.look(t), [store, t]);
  useMomentInAddress(t, isPlaying || playback.isLive, seek);
  const toError = (direction: 1 | -1) => {
    const time = nextError(view.errors, t, direction);
    if (time !== undefined) seek(time);
  };
  useShortcuts({
    toggle: playback.toggle,
    step: (ms) => seek(t + ms),
    error: toError,
    search: () => searchInput.current?.focus(),
    help: () => setHelp(true),
  });
  const tabs = useMemo(() => tabsAt(view.events, t), [view.events, t]);
  const shown = tabs.find(({ isShown }) => isShown);
  return (
    <div className="recording">
      <div className="recording-picture">
        <section className="card" aria-label="Picture">
          <TabStrip tabs={tabs} />
          <Picture store={store} view={view} t={t} isPlaying={isPlaying} url={shown?.url} />
          <div className="recording-bar">
            <Scrubber t={t} durationMs={durationMs} chunks={chunks} errors={view.errors} onSeek={seek} />
            <Controls
              playback={playback}
              durationMs={durationMs}
              isRecording={isRecording}
              errors={view.errors.length}
              onError={toError}
              onHelp={() => setHelp(true)}
            />
          </div>
        </section>
        <div className="recording-below">
          <CopyButton
            value={location.href.replace(/#.*|$/, withMoment(location.hash, t))}
            what="link to this moment"
            label="Copy link to this moment"
          />
          <LoadState view={view} />
        </div>
        {children}
      </div>
      <Lists
        store={store}
        view={view}
        t={t}
        searchInput={searchInput}
        list={list ?? firstList(view)}
        onSeek={seek}
        onList={setList}
      />
      <ShortcutHelp opened={help} onClose={() => setHelp(false)} />
    </div>
  );
}

/** Recordings of before there were actions begin with their commands. */
const firstList = ({ rows, loadedShare }: RecordingView): ListName =>
  loadedShare >= 1 && rows.actions.length === 0 && rows.commands.length > 0 ? 'commands' : 'actions';

function LoadState({ view: { error, recording } }: { view: RecordingView }) {
  if (error) {
    return (
      <Alert color="yellow" icon={<Icon name="warning" />} role="status">
        Could not load more: {error.message}
      </Alert>
    );
  }
  if (recording && recording.missingMs > 0) {
    const seconds = Math.ceil(recording.missingMs / 1000);
    return <span className="faint">The last {seconds} s are missing: they could not be stored.</span>;
  }
  if (!recording?.isFull) return null;
  return <span className="faint">The recording ended early: it had reached its size limit.</span>;
}

/** The moment in the address when the page was opened. */
function useMoment(): number | undefined {
  return useState(() => momentOf(location.hash))[0];
}

/** Keeps the moment in the address while nothing moves, and follows an address that is typed. */
function useMomentInAddress(t: number, isMoving: boolean, seek: (t: number) => void): void {
  useEffect(() => {
    if (isMoving || t === 0) return;
    const timer = setTimeout(() => {
      history.replaceState(history.state, '', withMoment(location.hash, t));
    }, settledMs);
    return () => clearTimeout(timer);
  }, [t, isMoving]);
  useEffect(() => {
    const onHash = () => {
      const moment = momentOf(location.hash);
      if (moment !== undefined) seek(moment);
    };
    window.addEventListener('hashchange', onHash);
    return () => window.removeEventListener('hashchange', onHash);
  }, [seek]);
}
