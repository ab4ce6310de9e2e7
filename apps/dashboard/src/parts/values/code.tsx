import { Tabs } from '@mantine/core';
import type { Snippet } from '@turnpike/contract/connect-snippets';
import { CopyButton } from './copy-button.tsx';

export function Code({ name, code }: Snippet) {
  return (
    <section className="code" aria-label={name}>
      <div className="code-copy">
        <CopyButton value={code} what={name} />
      </div>
      <pre>{code}</pre>
    </section>
  );
}

/** Code samples in several languages, one tab each. */
export function Snippets({ label, snippets }: { label: string; snippets: readonly Snippet[] }) {
  return (
    <Tabs defaultValue={snippets[0]?.name ?? null} keepMounted={false}>
      <Tabs.List aria-label={label}>
        {snippets.map(({ name }) => (
          <Tabs.Tab key={name} value={name}>
            {name}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {snippets.map(({ name, code }) => (
        <Tabs.Panel key={name} value={name} pt="sm">
          <Code name={name} code={code} />
        </Tabs.Panel>
      ))}
    </Tabs>
  );
}
