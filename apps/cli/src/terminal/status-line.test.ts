import { afterEach, expect, test, vi } from 'vitest';
import { StatusLine } from './status-line.ts';

afterEach(() => void vi.useRealTimers());

function terminal(isTTY = true) {
  return {
    text: '',
    isTTY,
    columns: 30,
    write(text: string) {
      this.text += text;
    },
  };
}

/** What a person sees: a carriage return with an erased line begins the line again. */
const seen = ({ text }: { text: string }) => text.split('\n').map((line) => line.split('\r\x1b[K').at(-1));

test('a progress line counts seconds in place, and goes when it is cleared', () => {
  vi.useFakeTimers();
  const output = terminal();
  using line = new StatusLine(output);
  line.showProgress('Starting');
  expect(seen(output)).toEqual(['Starting…']);
  vi.advanceTimersByTime(3000);
  expect(seen(output)).toEqual(['Starting… 3 s']);
  line.clear();
  vi.advanceTimersByTime(3000);
  expect(seen(output)).toEqual(['']);
});

test('log lines go above it', () => {
  const output = terminal();
  using line = new StatusLine(output);
  line.show('Stopping');
  line.write('a warning\n');
  expect(seen(output)).toEqual(['a warning', 'Stopping']);
});

test('a line that would wrap is cut off', () => {
  const output = terminal();
  using line = new StatusLine(output);
  line.show('x'.repeat(100));
  expect(seen(output)[0]).toBe(`${'x'.repeat(28)}…`);
});

test('without a terminal only log lines are written', () => {
  const output = terminal(false);
  using line = new StatusLine(output);
  line.showProgress('Starting');
  line.write('{"level":30}\n');
  line.clear();
  expect(output.text).toBe('{"level":30}\n');
});
