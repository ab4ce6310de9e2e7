import { Button, Checkbox, Group, Stack, TextInput } from '@mantine/core';
import type { PageResults } from '@turnpike/contract/page/page-results';
import { useState } from 'react';
import { usePost } from '../api/queries.ts';
import { useFieldErrors } from '../parts/forms/field-errors.ts';
import { Form } from '../parts/forms/form.tsx';
import { ProxyField, useProxyField } from '../parts/forms/proxy-field.tsx';
import { proxyNames, proxyParams } from '../parts/forms/proxy-values.ts';
import { Card, Page } from '../parts/page.tsx';
import { Problem } from '../parts/states.tsx';
import { Snippets } from '../parts/values/code.tsx';
import { AllowedCard } from './allowed-card.tsx';
import { pageSnippets } from './page-snippets.ts';
import { Results } from './results.tsx';

/** Everything that has a tab of its own. */
const formats = ['screenshot', 'markdown', 'content', 'links', 'accessibility', 'pdf'] as const;

/** One types an address and sees the page in all formats. */
export function ReadPage() {
  const [url, setUrl] = useState('');
  const [fullPage, setFullPage] = useState(false);
  const [stealth, setStealth] = useState(false);
  const read = usePost('/api/page', { stale: ['/sessions', '/overview'] });
  const errors = useFieldErrors(read.error, ['url', ...proxyNames]);
  const proxy = useProxyField(errors);
  const asked = {
    url: /^\w+:/.test(url) || url === '' ? url : `https://${url}`,
    ...proxyParams(proxy.values),
    ...(stealth && { stealth }),
    ...(fullPage && { screenshotOptions: { fullPage } }),
  };
  return (
    <Page title="Read a page" about="One address, in every format. Each call is a session of its own.">
      <div className="stack">
        <div className="columns columns-wide-first">
          <Form noValidate onSubmit={() => read.mutate({ ...asked, formats: [...formats] })}>
            <Card title="Page">
              <Stack>
                <TextInput
                  name="url"
                  label="Address"
                  placeholder="https://example.com/"
                  inputMode="url"
                  autoComplete="off"
                  spellCheck={false}
                  value={url}
                  error={errors.at('url')}
                  onChange={(event) => {
                    setUrl(event.currentTarget.value.trim());
                    errors.changed('url');
                  }}
                />
                <ProxyField {...proxy} />
                <Group>
                  <Checkbox
                    label="Picture of the whole page"
                    checked={fullPage}
                    onChange={(event) => setFullPage(event.currentTarget.checked)}
                  />
                  <Checkbox
                    label="Stealth"
                    checked={stealth}
                    onChange={(event) => setStealth(event.currentTarget.checked)}
                  />
                </Group>
                {errors.rest && <Problem error={errors.rest} />}
                <Group justify="flex-end">
                  <Button type="submit" loading={read.isPending}>
                    Read page
                  </Button>
                </Group>
              </Stack>
            </Card>
          </Form>
          <Card
            title="Code"
            about="The key is read from TURNPIKE_API_KEY. Put the password of your proxy in."
          >
            <Snippets label="Equivalent code" snippets={pageSnippets(asked, location.origin)} />
          </Card>
        </div>
        {read.data && <Results key={read.data.sessionId} answer={read.data as PageResults} />}
        <AllowedCard />
      </div>
    </Page>
  );
}
