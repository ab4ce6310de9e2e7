import { Meter } from './meter.tsx';

interface Bar {
  key: string;
  name: string;
  value: number;
  text: string;
  note?: string;
  /** A line below the bar. */
  detail?: string;
  color?: string;
}

/** Values as bars, each with its value as text. */
export function BarList({ label, bars }: { label: string; bars: readonly Bar[] }) {
  const largest = Math.max(...bars.map(({ value }) => value), 0);
  return (
    <ul className="bar-list" aria-label={label}>
      {bars.map(({ key, name, value, text, note, detail, color = 'var(--series-1)' }) => (
        <li key={key}>
          <div className="bar-text">
            <span className="break">{name}</span>
            <span className="bar-value">
              {text}
              {note && <span className="faint"> · {note}</span>}
            </span>
          </div>
          <Meter share={largest ? value / largest : 0} color={color} />
          {detail && <div className="bar-detail">{detail}</div>}
        </li>
      ))}
    </ul>
  );
}
