import { useCallback, useEffect, useRef, useState } from 'react';
import { type Chunks, idleUntil } from './moments.ts';

export const speeds = [0.5, 1, 2, 4, 8] as const;

/** How often the page follows the time while it plays. */
const tickMs = 100;

export interface Playback {
  t: number;
  isPlaying: boolean;
  /** Follows the end of a recording that is being made. */
  isLive: boolean;
  speed: number;
  skipsIdle: boolean;
  seek(t: number): void;
  toggle(): void;
  goLive(): void;
  setSpeed(speed: number): void;
  setSkipsIdle(skips: boolean): void;
}

interface Options {
  chunks: Chunks;
  durationMs: number;
  isRecording: boolean;
  /** The moment to begin with; undefined means the beginning or, while it is recorded, the end. */
  begin: number | undefined;
}

export function usePlayback({ chunks, durationMs, isRecording, begin }: Options): Playback {
  const [time, setTime] = useState(begin ?? 0);
  const [isPlaying, setPlaying] = useState(false);
  const [isLive, setLive] = useState(isRecording && begin === undefined);
  const [speed, setSpeed] = useState(1);
  const [skipsIdle, setSkipsIdle] = useState(true);
  const latest = useRef({ chunks, durationMs, speed, skipsIdle, isLive });
  latest.current = { chunks, durationMs, speed, skipsIdle, isLive };

  useEffect(() => {
    if (!isPlaying) return;
    let before = performance.now();
    const timer = setInterval(() => {
      const now = performance.now();
      const passed = now - before;
      before = now;
      setTime((t) => {
        const { chunks, durationMs, speed, skipsIdle } = latest.current;
        const next = t + passed * speed;
        const skipped = skipsIdle ? idleUntil(chunks, next) : undefined;
        return Math.min(skipped ?? next, durationMs);
      });
    }, tickMs);
    return () => clearInterval(timer);
  }, [isPlaying]);

  // At the end it stops or, while there is more to come, is live.
  const isAtEnd = time >= durationMs;
  useEffect(() => {
    if (!isPlaying || !isAtEnd) return;
    setPlaying(false);
    if (isRecording) setLive(true);
  }, [isPlaying, isAtEnd, isRecording]);

  const seek = useCallback((t: number) => {
    setLive(false);
    setTime(Math.max(0, Math.min(t, latest.current.durationMs)));
  }, []);
  const toggle = useCallback(() => {
    const { isLive, durationMs } = latest.current;
    if (isLive) {
      setLive(false);
      setTime(durationMs);
      return;
    }
    setPlaying((playing) => !playing);
    // Playing again from the end begins at the beginning.
    setTime((t) => (t >= durationMs ? 0 : t));
  }, []);
  const goLive = useCallback(() => {
    setPlaying(false);
    setLive(true);
  }, []);
  const live = isLive && isRecording;
  const t = isLive ? durationMs : Math.min(time, durationMs);
  return { t, isPlaying, isLive: live, speed, skipsIdle, seek, toggle, goLive, setSpeed, setSkipsIdle };
}
