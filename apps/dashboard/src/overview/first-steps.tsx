import { Anchor, List } from '@mantine/core';
import { Link } from 'react-router';
import { Code } from '../parts/code.tsx';
import { Card } from '../parts/page.tsx';

/** For those who have not had a session yet. */
export function FirstSteps() {
  return (
    <Card title="First steps">
      <List type="ordered" spacing="xs" size="sm" mb="md">
        <List.Item>
          Try one in the browser:{' '}
          <Anchor component={Link} to="/new-session" size="sm" underline="always">
            open a session
          </Anchor>{' '}
          and use it in its live view.
        </List.Item>
        <List.Item>
          Take your API key, or a new one, from{' '}
          <Anchor component={Link} to="/keys" size="sm" underline="always">
            Keys
          </Anchor>
          .
        </List.Item>
        <List.Item>
          Open one from a program; the answer is its CDP URL, for Playwright or Puppeteer:
        </List.Item>
      </List>
      <Code
        name="Command to open a session"
        code={`curl -H "x-api-key: $TURNPIKE_KEY" \\\n  "${location.origin}/connect?proxy=$PROXY"`}
      />
    </Card>
  );
}
