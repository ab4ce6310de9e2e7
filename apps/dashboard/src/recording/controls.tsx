import { ActionIcon, Button, Checkbox, NativeSelect } from '@mantine/core';
import { Icon, type IconName } from '../parts/icons.tsx';
import { clock } from './moments.ts';
import { type Playback, speeds } from './use-playback.ts';

interface ControlsProps {
  playback: Playback;
  durationMs: number;
  isRecording: boolean;
  errors: number;
  onError(direction: 1 | -1): void;
  onHelp(): void;
}

export function Controls({ playback, durationMs, isRecording, errors, onError, onHelp }: ControlsProps) {
  const { t, isPlaying, isLive, speed, skipsIdle } = playback;
  return (
    <div className="controls">
      <ActionIcon
        size="lg"
        variant="filled"
        aria-label={isPlaying || isLive ? 'Pause' : 'Play'}
        onClick={playback.toggle}
      >
        <Icon name={isPlaying || isLive ? 'pause' : 'play'} />
      </ActionIcon>
      {isRecording && (
        <Button
          size="compact-md"
          variant={isLive ? 'filled' : 'default'}
          aria-pressed={isLive}
          onClick={playback.goLive}
        >
          Live
        </Button>
      )}
      <span className="controls-time">
        {clock(t)} <span className="faint">/ {clock(durationMs, 0)}</span>
      </span>
      <span className="controls-space" />
      <IconButton
        icon="previous"
        label="Previous error"
        disabled={errors === 0}
        onClick={() => onError(-1)}
      />
      <IconButton icon="next" label="Next error" disabled={errors === 0} onClick={() => onError(1)} />
      <NativeSelect
        size="xs"
        aria-label="Speed"
        value={String(speed)}
        data={speeds.map((each) => ({ value: String(each), label: `${each}×` }))}
        onChange={(event) => playback.setSpeed(Number(event.currentTarget.value))}
      />
      <Checkbox
        size="xs"
        label="Skip idle"
        checked={skipsIdle}
        onChange={(event) => playback.setSkipsIdle(event.currentTarget.checked)}
      />
      <IconButton icon="keyboard" label="Keyboard shortcuts" onClick={onHelp} />
    </div>
  );
}

interface IconButtonProps {
  icon: IconName;
  label: string;
  disabled?: boolean;
  onClick(): void;
}

function IconButton({ icon, label, disabled = false, onClick }: IconButtonProps) {
  return (
    <ActionIcon
      size="md"
      variant="default"
      aria-label={label}
      title={label}
      disabled={disabled}
      onClick={onClick}
    >
      <Icon name={icon} size={16} />
    </ActionIcon>
  );
}
