import { NativeSelect, TextInput } from '@mantine/core';
import type { HistoryQuery } from '@turnpike/contract/dashboard/account-pages';
import type { SessionStatus } from '@turnpike/contract/session';
import { useSearchParams } from 'react-router';
import { SearchInput } from '../parts/search-input.tsx';

const statuses: readonly { value: SessionStatus | ''; label: string }[] = [
  { value: '', label: 'Any' },
  { value: 'ACTIVE', label: 'Active' },
  { value: 'CLOSED', label: 'Closed' },
  { value: 'EXPIRED', label: 'Expired' },
  { value: 'DEAD', label: 'Dead' },
];

type Filters = {
  [Name in 'status' | 'text' | 'from' | 'to']: HistoryQuery[Name] | '' | undefined;
};

const names = ['status', 'text', 'from', 'to'] as const;

/** The filters, kept in the address so that a reload or a link keeps them. */
export function useHistoryFilters(): { query: Filters; filtered: boolean } {
  const [params] = useSearchParams();
  const value = (name: (typeof names)[number]) => params.get(name) ?? '';
  return {
    query: {
      status: statuses.find((known) => known.value === value('status'))?.value,
      text: value('text'),
      from: dayStart(value('from')),
      to: dayStart(value('to'), 1),
    },
    filtered: names.some((name) => value(name) !== ''),
  };
}

/** The start of a day in the viewer's time zone; undefined while it is half typed. */
function dayStart(day: string, later = 0): string | undefined {
  const date = new Date(`${day}T00:00:00`);
  date.setDate(date.getDate() + later);
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}

export function HistoryFilters({ textHint = 'Id, parameter or metadata' }: { textHint?: string }) {
  const [params, setParams] = useSearchParams();
  const set = (name: string, value: string) =>
    setParams(
      (previous) => {
        if (value) previous.set(name, value);
        else previous.delete(name);
        return previous;
      },
      { replace: true },
    );
  return (
    <search className="filters card-inset" aria-label="Filters">
      <NativeSelect
        label="State"
        data={[...statuses]}
        value={params.get('status') ?? ''}
        onChange={(event) => set('status', event.currentTarget.value)}
      />
      <SearchInput
        label="Text"
        hint={textHint}
        initial={params.get('text') ?? ''}
        onSearch={(value) => set('text', value)}
      />
      <TextInput
        label="From"
        type="date"
        value={params.get('from') ?? ''}
        onChange={(event) => set('from', event.currentTarget.value)}
      />
      <TextInput
        label="To"
        type="date"
        value={params.get('to') ?? ''}
        onChange={(event) => set('to', event.currentTarget.value)}
      />
    </search>
  );
}
