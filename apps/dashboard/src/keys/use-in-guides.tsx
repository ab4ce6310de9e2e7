import { Anchor, Text } from '@mantine/core';
import { useMe } from '../api/queries.ts';
import { guideTab } from '../parts/guide-link.tsx';

/**
 * Opens the guides with the new key in their samples. It is kept in the tab's own storage, as the guides do
 * themselves when somebody enters a key there (apps/gateway/src/reference/page/values.ts).
 */
export function UseInGuides({ apiKey }: { apiKey: string }) {
  const { data: me } = useMe();
  const keep = () =>
    sessionStorage.setItem('turnpike-samples', JSON.stringify({ person: me?.id ?? null, apiKey }));
  return (
    <Text size="sm">
      <Anchor href="/docs/quick-start" {...guideTab} onClick={keep} underline="always">
        Open the quick start
      </Anchor>{' '}
      with this key in its samples.
    </Text>
  );
}
