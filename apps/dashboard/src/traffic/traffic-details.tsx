import type { TrafficByDay } from '@turnpike/contract/dashboard/account-pages';
import { ChartCard } from '../parts/charts/chart-card.tsx';
import { Card, Figure } from '../parts/page.tsx';
import { Empty } from '../parts/states.tsx';
import { type Column, DataTable } from '../parts/tables/data-table.tsx';
import { bytes, count, percent } from '../parts/values/figures.ts';
import { dayName } from '../parts/values/time.tsx';

/** Figures, bars by day and the largest destinations of a range of days. */
export function TrafficDetails({ traffic }: { traffic: TrafficByDay }) {
  const { from, to, days, totals } = traffic;
  const range = `${dayName(from, { year: true })} to ${dayName(to, { year: true })}`;
  return (
    <>
      <div className="figures">
        <Figure name="Received" value={bytes(totals.bytesDown)} note={range} />
        <Figure name="Sent" value={bytes(totals.bytesUp)} note={range} />
        <Figure
          name="From cache"
          value={bytes(totals.bytesFromCache)}
          note="an estimate; your proxy did not carry it"
        />
        <Figure name="Refused requests" value={count(totals.refused)} note="by your limits, or by a proxy" />
      </div>
      <ChartCard
        title="Traffic by day"
        label={`Traffic by day, ${range}`}
        name="Traffic"
        emptyText="No traffic in this period"
        days={days.map(({ date, bytesUp, bytesDown }) => ({ day: date, value: bytesUp + bytesDown }))}
        format={bytes}
      />
      <Destinations traffic={traffic} />
    </>
  );
}

type Sums = TrafficByDay['other'];
const sizeOf = ({ bytesUp, bytesDown }: Sums): number => bytesUp + bytesDown;

function Destinations({ traffic: { destinations, other, totals } }: { traffic: TrafficByDay }) {
  const isLeft = sizeOf(other) + other.requests + other.tunnels + other.refused > 0;
  const named = destinations.map(({ host, port, ...use }) => ({ ...use, name: `${host}:${port}` }));
  const rows = isLeft ? [...named, { ...other, name: 'All other destinations' }] : named;
  const columns: readonly Column<(typeof rows)[number]>[] = [
    {
      name: 'Destination',
      cell: ({ name }) => <span className="break">{name}</span>,
      sortBy: ({ name }) => name,
    },
    { name: 'Traffic', numeric: true, cell: (use) => bytes(sizeOf(use)), sortBy: sizeOf },
    {
      name: 'Share',
      numeric: true,
      cell: (use) => percent(sizeOf(totals) ? sizeOf(use) / sizeOf(totals) : 0),
    },
    {
      name: 'Received',
      numeric: true,
      cell: ({ bytesDown }) => bytes(bytesDown),
      sortBy: ({ bytesDown }) => bytesDown,
    },
    { name: 'Sent', numeric: true, cell: ({ bytesUp }) => bytes(bytesUp), sortBy: ({ bytesUp }) => bytesUp },
    {
      name: 'Requests',
      numeric: true,
      cell: ({ requests, tunnels }) => count(requests + tunnels),
      sortBy: ({ requests, tunnels }) => requests + tunnels,
    },
    {
      name: 'Refused',
      numeric: true,
      cell: ({ refused }) => count(refused),
      sortBy: ({ refused }) => refused,
    },
  ];
  return (
    <Card title="Largest destinations" about="Added up over these days. The CSV file has each day." flush>
      <DataTable
        label="Largest destinations"
        rows={rows}
        rowKey={({ name }) => name}
        columns={columns}
        empty={
          <Empty icon="traffic" title="No traffic in this period">
            A session’s traffic is here when the session has ended.
          </Empty>
        }
      />
    </Card>
  );
}
