import { NativeSelect, TextInput } from '@mantine/core';
import type { SessionStatus } from '@turnpike/contract/session';
import { useSearchParams } from 'react-router';
import type { Query } from '../api/request.ts';
import { SearchInput } from '../parts/search-input.tsx';

const statuses: readonly { value: SessionStatus | ''; label: string }[] = [
  { value: '', label: 'Any' },
  { value: 'ACTIVE', label: 'Active' },
  { value: 'CLOSED', label: 'Closed' },
  { value: 'EXPIRED', label: 'Expired' },
  { value: 'DEAD', label: 'Dead' },
];

const names = ['status', 'text', 'from', 'to'] as const;

/** The filters live in the address, so that a reload and a link keep them. */
export function useHistoryFilters(): { query: Query; filtered: boolean } {
  const [params] = useSearchParams();
  const value = (name: (typeof names)[number]) => params.get(name) ?? '';
  return {
    query: {
      status: value('status'),
      text: value('text'),
      from: dayStart(value('from')),
      to: dayStart(value('to'), 1),
    },
    filtered: names.some((name) => value(name) !== ''),
  };
}

/** A day of the viewer's, as a time; days that are half typed are none. */
function dayStart(day: string, later = 0): string | undefined {
  const date = new Date(`${day}T00:00:00`);
  date.setDate(date.getDate() + later);
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}

export function HistoryFilters({ textHint = 'Id, parameter or metadata' }: { textHint?: string }) {
  const [params, setParams] = useSearchParams();
  const set = (name: string, value: string) =>
    setParams(
      (former) => {
        if (value) former.set(name, value);
        else former.delete(name);
        return former;
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
