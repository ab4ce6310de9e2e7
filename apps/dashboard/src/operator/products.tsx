import { Checkbox } from '@mantine/core';
import type { IngestionBatch } from '@turnpike/contract/dashboard/operator-pages';
import { useState } from 'react';
import { useGet, usePages } from '../api/queries.ts';
import { Card, Figure, Page } from '../parts/page.tsx';
import { Empty, Loaded } from '../parts/states.tsx';
import { type Column, DataTable, PagedTable } from '../parts/tables/data-table.tsx';
import { bytes, count, counted, productNames } from '../parts/values/figures.ts';
import { Ago, Time } from '../parts/values/time.tsx';

export function Products() {
  const products = useGet('/operator/products', { everyMs: 5_000 });
  return (
    <Page title="Products" about="Traffic of each product, who reported it, and refused records">
      <div className="stack">
        <Loaded query={products}>
          {(data) => (
            <>
              <div className="figures">
                {data.products.map(({ product, windowBytes, todayBytes, accounts }) => (
                  <Figure
                    key={product}
                    name={productNames[product]}
                    value={bytes(windowBytes)}
                    note={`30 days, ${counted(accounts, 'account')} · ${bytes(todayBytes)} today`}
                  />
                ))}
              </div>
              <Card title="Metered proxies" about="Latest report first" flush>
                <DataTable
                  label="Metered proxies"
                  rows={data.meters}
                  rowKey={({ source }) => source}
                  columns={[
                    { name: 'Source', cell: ({ source }) => <span className="mono">{source}</span> },
                    { name: 'Last report', cell: ({ reportedAt }) => <Ago at={reportedAt} /> },
                  ]}
                  empty={<Empty icon="products" title="No metered proxy has reported yet" />}
                />
              </Card>
            </>
          )}
        </Loaded>
        <IngestionCard />
      </div>
    </Page>
  );
}

const columns: readonly Column<IngestionBatch>[] = [
  { name: 'Received', cell: ({ at }) => <Time at={at} seconds /> },
  { name: 'Source', cell: ({ source }) => source },
  { name: 'New', numeric: true, cell: (batch) => count(batch.new) },
  { name: 'Repeated', numeric: true, cell: ({ repeated }) => count(repeated) },
  { name: 'Refused', numeric: true, cell: ({ refused }) => count(refused) },
  { name: 'Traffic', numeric: true, cell: (batch) => bytes(batch.bytes) },
  { name: 'Reasons', cell: ({ errors }) => <Reasons errors={errors} /> },
];

function Reasons({ errors }: Pick<IngestionBatch, 'errors'>) {
  if (errors.length === 0) return '–';
  return (
    <details>
      <summary>{counted(errors.length, 'line')}</summary>
      <ul className="reasons">
        {errors.map(({ line, id, reason }) => (
          <li key={line}>
            Line {line}
            {id && <span className="mono"> {id}</span>}: {reason}
          </li>
        ))}
      </ul>
    </details>
  );
}

function IngestionCard() {
  const [refusedOnly, setRefusedOnly] = useState(false);
  const batches = usePages('/operator/ingestion', {
    query: { refused: refusedOnly ? 'true' : undefined, limit: 25 },
    everyMs: 5_000,
  });
  return (
    <Card
      title="Ingestion"
      about="Batches of usage records, sent by API or imported. Kept for 90 days."
      actions={
        <Checkbox
          label="Only batches with refused records"
          checked={refusedOnly}
          onChange={(event) => setRefusedOnly(event.currentTarget.checked)}
        />
      }
      flush
    >
      <PagedTable
        label="Ingested batches"
        query={batches}
        rowsOf={(page) => page.batches}
        columns={columns}
        rowKey={({ id }) => id}
        empty={
          <Empty icon="products" title={refusedOnly ? 'No records were refused' : 'No records received yet'}>
            Send usage records of your own proxy fleets to /operator/api/usage.
          </Empty>
        }
      />
    </Card>
  );
}
