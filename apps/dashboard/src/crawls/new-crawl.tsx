import { Button, Checkbox, Group, NumberInput, Stack, Textarea, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useNavigate } from 'react-router';
import { usePost } from '../api/queries.ts';
import { useFieldErrors } from '../parts/forms/field-errors.ts';
import { Form } from '../parts/forms/form.tsx';
import { ProxyField, useProxyField } from '../parts/forms/proxy-field.tsx';
import { proxyNames, proxyParams } from '../parts/forms/proxy-values.ts';
import { Card } from '../parts/page.tsx';
import { Problem } from '../parts/states.tsx';

/** Those of which a whole site is asked for. */
const formats = ['markdown', 'content', 'links', 'screenshot', 'pdf'];

const lines = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');

/** The form that starts a crawl. Then its page is shown. */
export function NewCrawl() {
  const navigate = useNavigate();
  const [url, setUrl] = useState('');
  const [limit, setLimit] = useState<string | number>(100);
  const [depth, setDepth] = useState<string | number>('');
  const [include, setInclude] = useState('');
  const [exclude, setExclude] = useState('');
  const [chosen, setChosen] = useState(['markdown']);
  const start = usePost('/api/crawl', { stale: ['/api/crawl'] });
  const errors = useFieldErrors(start.error, ['url', ...proxyNames]);
  const proxy = useProxyField(errors);
  const submit = () =>
    start.mutate(
      {
        url: /^\w+:/.test(url) || url === '' ? url : `https://${url}`,
        ...proxyParams(proxy.values),
        formats: chosen,
        ...(limit !== '' && { limit: Number(limit) }),
        ...(depth !== '' && { depth: Number(depth) }),
        ...(include.trim() !== '' && { includePatterns: lines(include) }),
        ...(exclude.trim() !== '' && { excludePatterns: lines(exclude) }),
      },
      { onSuccess: ({ id }) => void navigate(`/crawls/${id}`) },
    );
  return (
    <Card title="New crawl">
      <Form noValidate onSubmit={submit}>
        <Stack>
          <TextInput
            label="Address"
            description="Where it starts. Links on the same host are followed"
            placeholder="https://example.com/"
            inputMode="url"
            autoComplete="off"
            spellCheck={false}
            {...errors.input('url', url, setUrl)}
          />
          <ProxyField {...proxy} />
          <div className="columns">
            <NumberInput
              label="Pages"
              description="At most this many"
              min={1}
              max={10_000}
              allowDecimal={false}
              value={limit}
              onChange={setLimit}
            />
            <NumberInput
              label="Depth"
              description="Links from the first page. Leave empty for any"
              min={0}
              max={1000}
              allowDecimal={false}
              value={depth}
              onChange={setDepth}
            />
          </div>
          <div className="columns">
            <Textarea
              label="Include"
              description="Patterns of addresses, one per line. Leave empty for all"
              placeholder="https://example.com/blog/**"
              autosize
              minRows={2}
              maxRows={6}
              spellCheck={false}
              value={include}
              onChange={(event) => setInclude(event.currentTarget.value)}
            />
            <Textarea
              label="Exclude"
              description="Patterns of addresses, one per line"
              placeholder="**/login**"
              autosize
              minRows={2}
              maxRows={6}
              spellCheck={false}
              value={exclude}
              onChange={(event) => setExclude(event.currentTarget.value)}
            />
          </div>
          <Checkbox.Group label="Formats" value={chosen} onChange={setChosen}>
            <Group mt="xs">
              {formats.map((format) => (
                <Checkbox key={format} value={format} label={format} />
              ))}
            </Group>
          </Checkbox.Group>
          {errors.rest && <Problem error={errors.rest} />}
          <Group justify="flex-end">
            <Button type="submit" loading={start.isPending}>
              Start crawl
            </Button>
          </Group>
        </Stack>
      </Form>
    </Card>
  );
}
