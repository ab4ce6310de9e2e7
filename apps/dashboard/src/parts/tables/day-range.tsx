import { NativeSelect, TextInput } from '@mantine/core';
import { utcDay } from '@turnpike/contract/calendar';
import { useSearchParams } from 'react-router';

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
  /** Errors that the gateway returned for the days. */
  errors?: { from?: string | undefined; to?: string | undefined };
}

export function DayRangeInputs({ range, onChange, errors = {} }: DayRangeInputsProps) {
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
      <TextInput
        label="From"
        type="date"
        value={range.from}
        error={errors.from}
        onChange={(event) =>
          event.currentTarget.value && onChange({ ...range, from: event.currentTarget.value })
        }
      />
      <TextInput
        label="To"
        type="date"
        value={range.to}
        error={errors.to}
        onChange={(event) =>
          event.currentTarget.value && onChange({ ...range, to: event.currentTarget.value })
        }
      />
    </>
  );
}
