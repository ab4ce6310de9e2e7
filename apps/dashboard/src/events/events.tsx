import { type Event, type EventType, eventTypes } from '@turnpike/contract/events';
import { usePages } from '../api/queries.ts';
import { downloadUrl } from '../api/request.ts';
import { Card, Page } from '../parts/page.tsx';
import { Empty } from '../parts/states.tsx';
import { useAddressFilters } from '../parts/tables/address-filters.ts';
import { type Column, PagedTable } from '../parts/tables/data-table.tsx';
import { ExportButton } from '../parts/tables/export-button.tsx';
import { FilterSelect } from '../parts/tables/filter-select.tsx';
import { SearchInput } from '../parts/tables/search-input.tsx';
import { SessionLink } from '../parts/values/session-link.tsx';
import { Time } from '../parts/values/time.tsx';
import { eventDetails, eventLabel, eventLabels, sessionOf } from './event-text.ts';

const columns: readonly Column<Event>[] = [
  {
    name: 'Time',
    cell: ({ timestamp }) => <Time at={timestamp} seconds />,
    sortBy: ({ timestamp }) => timestamp,
  },
  {
    name: 'Event',
    cell: (event) => (
      <>
        {eventLabel(event)}
        <div className="mono faint break">{event.id}</div>
      </>
    ),
    sortBy: eventLabel,
  },
  { name: 'Session', cell: (event) => <SessionLink id={sessionOf(event)} />, sortBy: sessionOf },
  { name: 'Details', cell: (event) => eventDetails(event) || '–' },
];

export function Events() {
  const { value, set } = useAddressFilters();
  const session = value('session');
  const type: EventType | '' = eventTypes.find((known) => known === value('type')) ?? '';
  const query = { session, type };
  const events = usePages('/events', { query: { ...query, limit: 50 }, everyMs: 5_000 });
  return (
    <Page
      title="Events"
      about="What webhooks and the event stream report about your sessions and usage. Kept for 30 days."
    >
      <Card flush>
        <search className="filters card-inset" aria-label="Filters">
          <SearchInput
            label="Session"
            hint="Session id"
            initial={session}
            onSearch={(typed) => set('session', typed)}
          />
          <FilterSelect
            label="Event"
            value={type}
            choices={eventTypes.map((name) => ({ value: name, label: eventLabels[name] }))}
            onSelect={(value) => set('type', value)}
          />
          <ExportButton href={downloadUrl('/events/csv', { query })} />
        </search>
        <PagedTable
          label="Events"
          query={events}
          rowsOf={(page) => page.events}
          columns={columns}
          rowKey={({ id }) => id}
          empty={
            <Empty icon="events" title={session || type ? 'No event matches' : 'No events yet'}>
              {!session && !type && 'Create a session to see its events here.'}
            </Empty>
          }
        />
      </Card>
    </Page>
  );
}
