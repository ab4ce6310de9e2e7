import { Meter } from './meter.tsx';

interface Bar {
  key: string;
  name: string;
  value: number;
  text: string;
  note?: string;
  color?: string;
}

/** Values as bars, each with its value as text. */
export function BarList({ label, bars }: { label: string; bars: readonly Bar[] }) {
  const largest = Math.max(...bars.map(({ value }) => value), 0);
  return (
    <ul className="bar-list" aria-label={label}>
      {bars.map(({ key, name, value, text, note, color = 'var(--series-1)' }) => (
        <li key={key}>
          <div className="bar-text">
            <span>{name}</span>
            <span className="bar-value">
              {text}
              {note && <span className="faint"> · {note}</span>}
            </span>
          </div>
          <Meter share={largest ? value / largest : 0} color={color} />
        </li>
      ))}
    </ul>
  );
}
