import { useEffect, useRef, useState } from 'react';
import { Empty } from '../parts/states.tsx';
import { clock, type PicturePlace, pictureAfter, pictureAt } from './moments.ts';
import type { RecordingStore, RecordingView } from './recording-store.ts';

/** Pictures that are kept in memory. */
const maxKept = 100;
/** Pictures that are loaded ahead while it plays. */
const ahead = 3;

interface PictureProps {
  store: RecordingStore;
  view: RecordingView;
  t: number;
  isPlaying: boolean;
  url: string | undefined;
}

/** The picture at the moment. The one before stays until it is there. */
export function Picture({ store, view, t, isPlaying, url }: PictureProps) {
  const kept = useRef(new Map<string, Promise<string>>());
  const [shown, setShown] = useState<{ key: string; data: string } | undefined>();
  const chunks = view.recording?.chunks ?? [];
  const place = pictureAt(chunks, t);
  const key = place && keyOf(place);

  // biome-ignore lint/correctness/useExhaustiveDependencies: the key stands for the place
  useEffect(() => {
    if (!place || key === undefined) {
      if (view.recording) store.pictureShown();
      return;
    }
    let isWanted = true;
    const load = (wanted: PicturePlace) => loadPicture(kept.current, store, wanted);
    load(place).then(
      (data) => {
        if (isWanted) setShown({ key, data });
        store.pictureShown();
      },
      () => store.pictureShown(),
    );
    if (isPlaying) {
      let next = pictureAfter(chunks, place.t);
      for (let count = 0; next && count < ahead; count++) {
        load(next).catch(() => {});
        next = pictureAfter(chunks, next.t);
      }
    }
    return () => {
      isWanted = false;
    };
  }, [store, key, isPlaying, view.recording !== undefined]);

  if (!place || !shown) {
    return (
      <div className="picture picture-none">
        {view.recording && !place && (
          <Empty icon="eye" title={view.recording.state === 'recording' ? 'No picture yet' : 'No pictures'}>
            {view.recording.state === 'ready' && 'The session was recorded with record_pictures=0.'}
          </Empty>
        )}
      </div>
    );
  }
  return (
    <div className="picture">
      <img src={shown.data} alt={`The browser at ${clock(place.t)}${url ? `, showing ${url}` : ''}`} />
    </div>
  );
}

const keyOf = ({ chunk, picture }: PicturePlace): string => `${chunk}/${picture}`;

function loadPicture(
  kept: Map<string, Promise<string>>,
  store: RecordingStore,
  place: PicturePlace,
): Promise<string> {
  const key = keyOf(place);
  const loading = kept.get(key) ?? store.picture(place);
  // The one that was used last is at the end.
  kept.delete(key);
  kept.set(key, loading);
  loading.catch(() => kept.delete(key));
  for (const oldest of kept.keys()) {
    if (kept.size <= maxKept) break;
    kept.delete(oldest);
  }
  return loading;
}
