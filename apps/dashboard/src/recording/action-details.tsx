import { Button } from '@mantine/core';
import { useEffect, useState } from 'react';
import { Fact, Facts } from '../parts/page.tsx';
import { counted } from '../parts/values/figures.ts';
import { actionText } from './action-text.ts';
import { type Chunks, clock, type PicturePlace, pictureAfter, pictureAt } from './moments.ts';
import type { RecordingStore, RecordingView } from './recording-store.ts';
import type { ActionRow } from './rows.ts';
import { milliseconds } from './text.ts';

interface ActionDetailsProps {
  row: ActionRow;
  store: RecordingStore;
  view: RecordingView;
  onCommands(): void;
}

/** One action: how it went, what the page looked like before and after, and the way to its commands. */
export function ActionDetails({ row: { t, action }, store, view, onCommands }: ActionDetailsProps) {
  const { element, target, client, tab, ms, error, times } = action;
  const { name, what } = actionText(action);
  const commands = view.rows.commands.filter(
    ({ t: at, command }) =>
      at >= t - rounding && at <= t + ms + rounding && (client === 0 || command.client === client),
  );
  const chunks = view.recording?.chunks ?? [];
  return (
    <div className="stack">
      <Facts>
        <Fact name="Action">
          <strong>{name}</strong> {what}
        </Fact>
        <Fact name="Began">
          {clock(t)}
          {client > 0 && ` by client ${client}`}
          {tab !== undefined && `, tab ${tab}`}
        </Fact>
        <Fact name="Took">
          {milliseconds(ms)}
          {times !== undefined && `, ${counted(times, 'time')}`}
        </Fact>
        <Fact name="Outcome">{error ?? 'Done'}</Fact>
        {element && (
          <Fact name="Element">
            {element.role} {element.name && `"${element.name}"`}
          </Fact>
        )}
        {target && (
          <Fact name="Selector">
            <span className="mono">{target}</span>
          </Fact>
        )}
      </Facts>
      <div className="action-pictures">
        <Still title="Before" store={store} place={pictureBefore(chunks, t)} />
        <Still title="After" store={store} place={pictureOfEnd(chunks, t + ms)} />
      </div>
      <div>
        <Button size="compact-sm" variant="default" onClick={onCommands}>
          {commands.length === 0 ? 'Raw commands' : counted(commands.length, 'raw command')}
        </Button>
      </div>
    </div>
  );
}

/** Times are recorded by tenths of a millisecond. */
const rounding = 0.2;
/** How long after an action its picture may come. */
const maxPictureDelayMs = 1500;

const pictureBefore = (chunks: Chunks, t: number): PicturePlace | undefined => {
  const place = pictureAt(chunks, t);
  return place && place.t <= t ? place : undefined;
};

function pictureOfEnd(chunks: Chunks, end: number): PicturePlace | undefined {
  const next = pictureAfter(chunks, end - rounding);
  return next && next.t <= end + maxPictureDelayMs ? next : pictureBefore(chunks, end);
}

function Still({
  title,
  store,
  place,
}: {
  title: string;
  store: RecordingStore;
  place: PicturePlace | undefined;
}) {
  const key = place && `${place.chunk}/${place.picture}`;
  const [shown, setShown] = useState<{ key: string; data: string } | undefined>();
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key stands for the place
  useEffect(() => {
    let isWanted = true;
    if (place && key) {
      store.picture(place).then(
        (data) => isWanted && setShown({ key, data }),
        () => {}, // It stays empty.
      );
    }
    return () => {
      isWanted = false;
    };
  }, [store, key]);
  return (
    <figure className="action-picture">
      <figcaption className="faint">
        {place ? `${title}, ${clock(place.t)}` : `${title}: no picture`}
      </figcaption>
      {place && shown?.key === key && (
        <img src={shown?.data} alt={`The page ${title.toLowerCase()} the action`} />
      )}
    </figure>
  );
}
