import { Anchor } from '@mantine/core';
import type { Crawl } from '@turnpike/contract/crawl';
import { Link } from 'react-router';
import { usePages } from '../api/queries.ts';
import { Meter } from '../parts/charts/meter.tsx';
import { Card, Page } from '../parts/page.tsx';
import { Empty } from '../parts/states.tsx';
import { type Column, PagedTable } from '../parts/tables/data-table.tsx';
import { count } from '../parts/values/figures.ts';
import { Status } from '../parts/values/status.tsx';
import { Time } from '../parts/values/time.tsx';
import { CancelButton } from './cancel-button.tsx';
import { finished, nameOf, progressText, waitText } from './crawl-text.ts';
import { NewCrawl } from './new-crawl.tsx';

const columns: readonly Column<Crawl>[] = [
  {
    name: 'Crawl',
    cell: (crawl) => (
      <Anchor component={Link} to={`/crawls/${crawl.id}`} className="break">
        {nameOf(crawl)}
      </Anchor>
    ),
  },
  {
    name: 'State',
    cell: (crawl) => (
      <>
        <Status of={crawl.state} />
        {waitText(crawl) && <div className="faint">{waitText(crawl)}</div>}
      </>
    ),
  },
  {
    name: 'Progress',
    cell: (crawl) => (
      <>
        {progressText(crawl)}
        <Meter share={finished(crawl.pages) / Math.max(1, crawl.pages.found)} />
      </>
    ),
  },
  { name: 'Failed', numeric: true, cell: ({ pages }) => count(pages.failed) },
  { name: 'Started', cell: ({ createdAt }) => <Time at={createdAt} /> },
  { name: 'Actions', actions: true, cell: (crawl) => <CancelButton crawl={crawl} size="xs" /> },
];

export function Crawls() {
  const crawls = usePages('/api/crawl', { query: { limit: 25 }, everyMs: 3000 });
  return (
    <Page title="Crawls" about="Load a whole site. Crawls go on by themselves, in sessions of your account.">
      <div className="stack">
        <NewCrawl />
        <Card title="Crawls" about="Kept for a week after they end" flush>
          <PagedTable
            label="Crawls"
            query={crawls}
            rowsOf={({ crawls: rows }) => rows}
            columns={columns}
            rowKey={({ id }) => id}
            empty={
              <Empty icon="crawls" title="No crawls yet">
                Start one above, or with <code>turnpike crawl URL</code>.
              </Empty>
            }
          />
        </Card>
      </div>
    </Page>
  );
}
