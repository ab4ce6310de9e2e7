import type { Crawl as CrawlData, CrawledPage } from '@turnpike/contract/crawl';
import { useEffect } from 'react';
import { useParams } from 'react-router';
import { useGet, usePages } from '../api/queries.ts';
import { BackButton } from '../parts/back-button.tsx';
import { Card, Fact, Facts, Page } from '../parts/page.tsx';
import { Empty, Loaded } from '../parts/states.tsx';
import { type Column, PagedTable } from '../parts/tables/data-table.tsx';
import { bytes, count } from '../parts/values/figures.ts';
import { SessionLink } from '../parts/values/session-link.tsx';
import { Status } from '../parts/values/status.tsx';
import { Time } from '../parts/values/time.tsx';
import { CancelButton } from './cancel-button.tsx';
import { finished, isActive, nameOf, progressText, waitText } from './crawl-text.ts';

const refreshMs = 2000;

export function Crawl() {
  const { id = '' } = useParams();
  const query = useGet('/api/crawl/:id', { params: { id }, everyMs: refreshMs });
  const crawl = query.data;
  return (
    <Page
      title="Crawl"
      about={<span className="break">{crawl ? nameOf(crawl) : id}</span>}
      actions={
        <>
          <BackButton to="/crawls">Crawls</BackButton>
          {crawl && <CancelButton crawl={crawl} />}
        </>
      }
    >
      <Loaded query={query} lines={8}>
        {(data) => (
          <div className="stack">
            <About crawl={data} />
            <Results crawl={data} />
          </div>
        )}
      </Loaded>
    </Page>
  );
}

function About({ crawl }: { crawl: CrawlData }) {
  const { id, state, why, limit, pages, sessions, createdAt, endedAt, expiresAt } = crawl;
  const note = waitText(crawl) ?? why;
  return (
    <Card title="Crawl">
      <Facts>
        <Fact name="Id">
          <span className="mono">{id}</span>
        </Fact>
        <Fact name="State">
          <Status of={state} />
          {note && <span className="faint"> {note}</span>}
        </Fact>
        <Fact name="Progress">{progressText(crawl)}</Fact>
        <Fact name="Pages">
          {count(pages.done)} loaded, {count(pages.failed)} failed, {count(pages.skipped)} skipped,{' '}
          {count(pages.duplicates)} duplicates
        </Fact>
        <Fact name="Limit">{count(limit)}</Fact>
        {isActive(crawl) && <Fact name="Sessions now">{count(sessions)}</Fact>}
        <Fact name="Results">{bytes(crawl.bytes)}</Fact>
        <Fact name="Started">
          <Time at={createdAt} seconds />
        </Fact>
        {endedAt && (
          <Fact name="Ended">
            <Time at={endedAt} seconds />
          </Fact>
        )}
        <Fact name="Deleted on">
          <Time at={expiresAt} />
        </Fact>
      </Facts>
    </Card>
  );
}

const columns: readonly Column<CrawledPage>[] = [
  {
    name: 'Address',
    cell: ({ url, title }) => (
      <>
        <span className="mono break">{url}</span>
        {title && <div className="faint">{title}</div>}
      </>
    ),
  },
  {
    name: 'Result',
    cell: ({ result, error }) => (
      <>
        <Status of={result} />
        {error && (
          <div className="faint" title={error.message}>
            {error.code}
          </div>
        )}
      </>
    ),
  },
  { name: 'HTTP status', numeric: true, cell: ({ status }) => status ?? '–' },
  { name: 'Size', numeric: true, cell: ({ bytes: size }) => bytes(size) },
  { name: 'Loaded', cell: ({ loadedAt }) => <Time at={loadedAt} seconds /> },
  { name: 'Session', cell: ({ sessionId }) => <SessionLink id={sessionId} /> },
];

function Results({ crawl }: { crawl: CrawlData }) {
  const { id, pages } = crawl;
  const results = usePages('/api/crawl/:id/pages', {
    params: { id },
    query: { limit: 50, formats: 'false' },
  });
  const { refetch } = results;
  const over = finished(pages);
  // The crawl's own numbers say when there is something new.
  // biome-ignore lint/correctness/useExhaustiveDependencies: it runs because of the number.
  useEffect(() => void refetch(), [over, refetch]);
  const empty = (
    <Empty icon="crawls" title={isActive(crawl) ? 'No page is loaded yet' : 'No page was loaded'}>
      Pages are listed in the order in which they are loaded.
    </Empty>
  );
  const hasNone = pages.done + pages.failed + pages.skipped === 0;
  return (
    <Card title="Pages" about="Read their content with the API, a client or the command line" flush>
      {hasNone ? (
        empty
      ) : (
        <PagedTable
          label="Pages of the crawl"
          query={results}
          rowsOf={({ pages: rows }) => rows}
          columns={columns}
          rowKey={({ url, depth }) => `${depth} ${url}`}
          empty={empty}
        />
      )}
    </Card>
  );
}
