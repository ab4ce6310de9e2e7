import { NativeSelect, TextInput } from '@mantine/core';
import { utcDay } from '@turnpike/contract/calendar';
import { useSearchParams } from 'react-router';
import { failureAt } from '../forms/field-errors.ts';

export interface DayRange {
  from: string;
  to: string;
}

const dayMs = 86_400_000;
const spans = [7, 30, 90, 365];

const lastDays = (days: number, now = Date.now()): DayRange => ({
  from: utcDay(now - (days - 1) * dayMs),
  to: utcDay(now),
});

/** The selected days, kept in the address; by default the last 30. */
export function useDayRange(): [DayRange, (range: DayRange) => void] {
  const [params, setParams] = useSearchParams();
  const usual = lastDays(30);
  const range = { from: params.get('from') || usual.from, to: params.get('to') || usual.to };
  const set = ({ from, to }: DayRange) =>
    setParams(
      (previous) => {
        previous.set('from', from);
        previous.set('to', to);
        return previous;
      },
      { replace: true },
    );
  return [range, set];
}

interface DayRangeInputsProps {
  range: DayRange;
  onChange: (range: DayRange) => void;
  /** What the gateway returned for the days, which may be about one of them. */
  error?: Error | null;
}

export function DayRangeInputs({ range, onChange, error = null }: DayRangeInputsProps) {
  const span = spans.find((days) => {
    const { from, to } = lastDays(days);
    return from === range.from && to === range.to;
  });
  return (
    <>
      <NativeSelect
        label="Range"
        value={span ?? ''}
        data={[
          ...spans.map((days) => ({ value: String(days), label: `Last ${days} days` })),
          ...(span ? [] : [{ value: '', label: 'Custom' }]),
        ]}
        onChange={(event) => {
          const days = Number(event.currentTarget.value);
          if (days) onChange(lastDays(days));
        }}
      />
      {(['from', 'to'] as const).map((end) => (
        <TextInput
          key={end}
          label={end === 'from' ? 'From' : 'To'}
          type="date"
          value={range[end]}
          error={failureAt(error, end)}
          onChange={(event) =>
            event.currentTarget.value && onChange({ ...range, [end]: event.currentTarget.value })
          }
        />
      ))}
    </>
  );
}
