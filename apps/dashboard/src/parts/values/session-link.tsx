import { Anchor } from '@mantine/core';
import { Link } from 'react-router';

/** Links to a session's page by its id; a dash if there is none. */
export function SessionLink({ id }: { id: string | null }) {
  if (!id) return '–';
  return (
    <Anchor component={Link} to={`/sessions/${id}`} className="mono break">
      {id}
    </Anchor>
  );
}
