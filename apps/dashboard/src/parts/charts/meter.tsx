interface MeterProps {
  /** 0 to 1. */
  share: number;
  color?: string;
}

/** A progress bar. Hidden from screen readers, as the number is beside it as text. */
export function Meter({ share, color = 'var(--series-1)' }: MeterProps) {
  const bounded = Math.min(1, Math.max(0, share));
  return (
    <span className="meter" aria-hidden="true">
      <span className="meter-fill" style={{ width: `${bounded * 100}%`, background: color }} />
    </span>
  );
}
