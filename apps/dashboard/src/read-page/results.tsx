import { Tabs, Text } from '@mantine/core';
import type { PageResults } from '@turnpike/contract/page/page-results';
import { Card, Fact, Facts } from '../parts/page.tsx';
import { Empty } from '../parts/states.tsx';
import { Code } from '../parts/values/code.tsx';
import { bytes } from '../parts/values/figures.ts';
import { SessionLink } from '../parts/values/session-link.tsx';

/** What was read of a page, a tab for each format. */
export function Results({ answer: { sessionId, page, results } }: { answer: PageResults }) {
  const { screenshot, markdown, content, links = [], accessibility, pdf } = results;
  const problems = [...page.warnings, ...page.consoleErrors, ...page.failedRequests.map(failedRequest)];
  return (
    <>
      <Card title={page.title || 'Page'}>
        <Facts>
          <Fact name="Address">
            <span className="mono break">{page.url}</span>
          </Fact>
          {page.status !== undefined && <Fact name="Status">{page.status}</Fact>}
          <Fact name="Time">{Math.round(page.timings.total)} ms</Fact>
          {page.bytes !== undefined && <Fact name="Through the proxy">{bytes(page.bytes)}</Fact>}
          <Fact name="Session">
            <SessionLink id={sessionId} />
          </Fact>
        </Facts>
      </Card>
      <Card title="Formats">
        <Tabs defaultValue="screenshot" keepMounted={false}>
          <Tabs.List aria-label="Formats">
            <Tabs.Tab value="screenshot">Picture</Tabs.Tab>
            <Tabs.Tab value="markdown">Markdown</Tabs.Tab>
            <Tabs.Tab value="content">HTML</Tabs.Tab>
            <Tabs.Tab value="links">Links ({links.length})</Tabs.Tab>
            <Tabs.Tab value="accessibility">Accessibility</Tabs.Tab>
            <Tabs.Tab value="pdf">PDF</Tabs.Tab>
            <Tabs.Tab value="problems">Problems ({problems.length})</Tabs.Tab>
          </Tabs.List>
          <Tabs.Panel value="screenshot" pt="sm">
            {screenshot && (
              <img
                className="page-picture"
                src={`data:image/png;base64,${screenshot}`}
                alt={`The page at ${page.url}`}
              />
            )}
          </Tabs.Panel>
          <Tabs.Panel value="markdown" pt="sm">
            <Code name="Markdown" code={markdown ?? ''} />
          </Tabs.Panel>
          <Tabs.Panel value="content" pt="sm">
            <Code name="HTML" code={content ?? ''} />
          </Tabs.Panel>
          <Tabs.Panel value="links" pt="sm">
            <ul className="page-links">
              {links.map((link) => (
                <li key={link} className="mono break">
                  {link}
                </li>
              ))}
            </ul>
          </Tabs.Panel>
          <Tabs.Panel value="accessibility" pt="sm">
            <Code name="Accessibility tree" code={JSON.stringify(accessibility, null, 2)} />
          </Tabs.Panel>
          <Tabs.Panel value="pdf" pt="sm">
            {pdf && (
              <a download="page.pdf" href={`data:application/pdf;base64,${pdf}`}>
                Download the PDF ({bytes(Math.floor((pdf.length * 3) / 4))})
              </a>
            )}
          </Tabs.Panel>
          <Tabs.Panel value="problems" pt="sm">
            {problems.length === 0 ? (
              <Empty icon="check" title="No errors, and no failed requests" />
            ) : (
              <ul className="page-links">
                {problems.map((problem, index) => (
                  // biome-ignore lint/suspicious/noArrayIndexKey: the list does not change.
                  <li key={index}>
                    <Text size="sm" className="break">
                      {problem}
                    </Text>
                  </li>
                ))}
              </ul>
            )}
          </Tabs.Panel>
        </Tabs>
      </Card>
    </>
  );
}

const failedRequest = ({ url, reason }: { url: string; reason: string }): string => `${reason}: ${url}`;
