import { TextInput } from '@mantine/core';
import type { HistoryQuery } from '@turnpike/contract/dashboard/account-pages';
import type { SessionStatus } from '@turnpike/contract/session';
import type { ReactNode } from 'react';
import { useAddressFilters } from '../parts/tables/address-filters.ts';
import { FilterSelect } from '../parts/tables/filter-select.tsx';
import { SearchInput } from '../parts/tables/search-input.tsx';

const statuses: readonly { value: SessionStatus; label: string }[] = [
  { value: 'ACTIVE', label: 'Active' },
  { value: 'CLOSED', label: 'Closed' },
  { value: 'EXPIRED', label: 'Expired' },
  { value: 'DEAD', label: 'Dead' },
];

type Filters = {
  [Name in 'status' | 'text' | 'tag' | 'from' | 'to']: HistoryQuery[Name] | '' | undefined;
};

const names = ['status', 'text', 'tag', 'from', 'to'] as const;

/** The filters of a list of sessions, from the address. */
export function useHistoryFilters(): { query: Filters; filtered: boolean } {
  const { value } = useAddressFilters();
  return {
    query: {
      status: statuses.find((known) => known.value === value('status'))?.value,
      text: value('text'),
      tag: value('tag'),
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

interface HistoryFiltersProps {
  textHint?: string;
  /** The export button. */
  children?: ReactNode;
}

export function HistoryFilters({
  textHint = 'Id, name, parameter or metadata',
  children,
}: HistoryFiltersProps) {
  const { value, set } = useAddressFilters();
  return (
    <search className="filters card-inset" aria-label="Filters">
      <FilterSelect
        label="State"
        value={value('status')}
        choices={statuses}
        onSelect={(status) => set('status', status)}
      />
      <SearchInput
        label="Text"
        hint={textHint}
        initial={value('text')}
        onSearch={(text) => set('text', text)}
      />
      <SearchInput label="Tag" hint="One tag" initial={value('tag')} onSearch={(tag) => set('tag', tag)} />
      <TextInput
        label="From"
        type="date"
        value={value('from')}
        onChange={(event) => set('from', event.currentTarget.value)}
      />
      <TextInput
        label="To"
        type="date"
        value={value('to')}
        onChange={(event) => set('to', event.currentTarget.value)}
      />
      {children}
    </search>
  );
}
