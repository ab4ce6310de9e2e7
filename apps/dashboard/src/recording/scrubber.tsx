import { memo, useMemo } from 'react';
import { counted } from '../parts/values/figures.ts';
import { type Chunks, idleStretches, type Span, spokenTime } from './moments.ts';

interface ScrubberProps {
  t: number;
  durationMs: number;
  chunks: Chunks;
  errors: readonly number[];
  onSeek(t: number): void;
}

/** The time line: where errors are, and where nothing happens. */
export function Scrubber({ t, durationMs, chunks, errors, onSeek }: ScrubberProps) {
  const idle = useMemo(() => idleStretches(chunks), [chunks]);
  const duration = Math.max(1, durationMs);
  return (
    <div className="scrubber">
      <Marks idle={idle} errors={errors} durationMs={duration} />
      <span className="scrubber-played" style={{ width: percent(t / duration) }} />
      <input
        type="range"
        min={0}
        max={duration}
        step={100}
        value={t}
        aria-label={`Time, ${counted(errors.length, 'error')} marked`}
        aria-valuetext={`${spokenTime(t)} of ${spokenTime(durationMs)}`}
        onChange={(event) => onSeek(Number(event.currentTarget.value))}
      />
    </div>
  );
}

const percent = (share: number): string => `${(Math.min(1, Math.max(0, share)) * 100).toFixed(3)}%`;

interface MarksProps {
  idle: readonly Span[];
  errors: readonly number[];
  durationMs: number;
}

/** More marks than this would cover each other. */
const places = 400;

const Marks = memo(function Marks({ idle, errors, durationMs }: MarksProps) {
  const marked = new Set(errors.map((time) => Math.floor((time / durationMs) * places)));
  return (
    <span className="scrubber-marks" aria-hidden="true">
      {idle.map(({ from, to }) => (
        <span
          key={from}
          className="scrubber-idle"
          style={{ left: percent(from / durationMs), width: percent((to - from) / durationMs) }}
        />
      ))}
      {[...marked].map((place) => (
        <span key={place} className="scrubber-error" style={{ left: percent(place / places) }} />
      ))}
    </span>
  );
});
