import { Button } from '@mantine/core';
import { useElementSize, useMediaQuery, useMergedRef } from '@mantine/hooks';
import { type KeyboardEvent, type ReactNode, useEffect, useId, useRef, useState } from 'react';
import { listWindow, scrollTo } from './list-window.ts';
import { lastNotAfter } from './moments.ts';

const [rowHeight, phoneRowHeight] = [30, 48];

interface ListedRow {
  key: string;
  t: number;
  isError: boolean;
}

interface RowsProps<Row extends ListedRow> {
  label: string;
  rows: readonly Row[];
  /** The player's time: the last row that had begun is marked, and followed. */
  t: number;
  selected: string | undefined;
  onSelect(row: Row): void;
  /** The cells of a row. `inSight` are the rows that can be seen. */
  children: (row: Row, inSight: readonly Row[]) => ReactNode;
  className: string;
}

/** A long list in step with the player. Only the rows in sight are in the document. */
export function RowList<Row extends ListedRow>({ empty, ...props }: RowsProps<Row> & { empty: ReactNode }) {
  return props.rows.length === 0 ? empty : <Rows {...props} />;
}

/** Mounted when there are rows: its size is measured from its first render on. */
function Rows<Row extends ListedRow>(props: RowsProps<Row>) {
  const { label, rows, t, selected, onSelect, children, className } = props;
  const height = useMediaQuery('(max-width: 48em)') ? phoneRowHeight : rowHeight;
  const id = useId();
  const list = useRef<HTMLDivElement>(null);
  const size = useElementSize();
  const ref = useMergedRef(list, size.ref);
  const [scrollTop, setScrollTop] = useState(0);
  const [follows, setFollows] = useState(true);
  const current = lastNotAfter(rows, t, (row) => row.t);
  const at = selected === undefined ? -1 : rows.findIndex(({ key }) => key === selected);
  const active = at >= 0 ? at : current;
  const { from, to } = listWindow(scrollTop, size.height, height, rows.length);
  const inDocument = rows.slice(from, to);
  const inSight = rows.slice(Math.floor(scrollTop / height), Math.ceil((scrollTop + size.height) / height));

  const show = (row: number) => {
    const element = list.current;
    if (!element || row < 0) return;
    const top = scrollTo(row, {
      scrollTop: element.scrollTop,
      height: element.clientHeight,
      rowHeight: height,
    });
    if (top === undefined) return;
    element.scrollTop = top;
    // At once: the event comes a frame later, and that would be empty.
    setScrollTop(element.scrollTop);
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: `show` reads the document, and is new every time
  useEffect(() => {
    if (follows) show(current);
  }, [follows, current, height, size.height]);

  const choose = (row: number) => {
    const chosen = rows[Math.max(0, Math.min(row, rows.length - 1))];
    if (!chosen) return;
    setFollows(true);
    onSelect(chosen);
    show(rows.indexOf(chosen));
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const page = Math.max(1, Math.floor(size.height / height) - 1);
    const steps: Readonly<Record<string, number>> = {
      ArrowUp: active - 1,
      ArrowDown: active + 1,
      PageUp: active - page,
      PageDown: active + page,
      Home: 0,
      End: rows.length - 1,
      Enter: active,
    };
    const row = steps[event.key];
    if (row === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    choose(row);
  };

  return (
    <div className="row-list">
      <div
        ref={ref}
        className={`rows ${className}`}
        role="listbox"
        aria-label={label}
        tabIndex={0}
        aria-activedescendant={active >= from && active < to ? `${id}-${active}` : undefined}
        onKeyDown={onKeyDown}
        onScroll={(event) => setScrollTop(event.currentTarget.scrollTop)}
        onWheel={() => setFollows(false)}
        onTouchMove={() => setFollows(false)}
      >
        <div className="rows-space" role="presentation" style={{ height: rows.length * height }}>
          {inDocument.map((row, place) => (
            // biome-ignore lint/a11y: the listbox has the focus and the keys
            <div
              key={row.key}
              id={`${id}-${from + place}`}
              role="option"
              aria-selected={row.key === selected}
              aria-current={from + place === current ? 'time' : undefined}
              aria-posinset={from + place + 1}
              aria-setsize={rows.length}
              className="row"
              data-error={row.isError || undefined}
              data-later={from + place > current || undefined}
              style={{ top: (from + place) * height, height }}
              onClick={() => choose(from + place)}
            >
              {children(row, inSight)}
            </div>
          ))}
        </div>
      </div>
      {!follows && (
        <Button
          className="row-list-follow"
          size="compact-xs"
          onClick={() => {
            setFollows(true);
            show(current);
          }}
        >
          Follow the picture
        </Button>
      )}
    </div>
  );
}
