import { Anchor } from '@mantine/core';
import { Link } from 'react-router';
import { Card, Page } from './parts/page.tsx';
import { Empty } from './parts/states.tsx';

export function NotFound() {
  return (
    <Page title="Not found">
      <Card>
        <Empty icon="search" title="Page not found">
          <Anchor component={Link} to="/" size="sm">
            Go to the overview
          </Anchor>
        </Empty>
      </Card>
    </Page>
  );
}
