import { Anchor, List } from '@mantine/core';
import { Link } from 'react-router';
import { guideTab } from '../parts/guide-link.tsx';
import { Card } from '../parts/page.tsx';
import { Code } from '../parts/values/code.tsx';

/** Shown until the account's first session has ended. */
export function FirstSteps() {
  return (
    <Card title="First steps">
      <List type="ordered" spacing="xs" size="sm" mb="md">
        <List.Item>
          <Anchor component={Link} to="/new-session" size="sm" underline="always">
            Create a session
          </Anchor>{' '}
          here and use it in its live view.
        </List.Item>
        <List.Item>
          Read the{' '}
          <Anchor href="/docs/quick-start" {...guideTab} size="sm" underline="always">
            quick start
          </Anchor>
          .
        </List.Item>
        <List.Item>
          Get an API key from{' '}
          <Anchor component={Link} to="/keys" size="sm" underline="always">
            Keys
          </Anchor>
          .
        </List.Item>
        <List.Item>
          Create a session from a program. The answer is its CDP URL, for Playwright or Puppeteer:
        </List.Item>
      </List>
      <Code
        name="Command to create a session"
        code={`curl -H "x-api-key: $TURNPIKE_API_KEY" \\\n  "${location.origin}/connect?proxy=$TURNPIKE_PROXY"`}
      />
    </Card>
  );
}
