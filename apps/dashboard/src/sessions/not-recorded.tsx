import { Anchor } from '@mantine/core';
import { Link } from 'react-router';
import { guideTab } from '../parts/guide-link.tsx';
import { Empty } from '../parts/states.tsx';

/** Says how to record a session. */
export function NotRecorded() {
  return (
    <Empty icon="record" title="There is no recording of this session">
      It was not recorded, or its recording has expired or was deleted. To record a session, create it with{' '}
      <code>record=true</code>, from a program or{' '}
      <Anchor component={Link} to="/new-session" size="sm" underline="always">
        here
      </Anchor>
      . See the{' '}
      <Anchor href="/docs/inspector" size="sm" underline="always" {...guideTab}>
        guide
      </Anchor>
      .
    </Empty>
  );
}
