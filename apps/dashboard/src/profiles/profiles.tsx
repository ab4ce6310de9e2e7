import { maxSavedProfiles, type SavedProfile } from '@turnpike/contract/saved-profile';
import { useGet, usePost } from '../api/queries.ts';
import { Confirm } from '../parts/confirm.tsx';
import { type Column, DataTable } from '../parts/data-table.tsx';
import { bytes } from '../parts/figures.ts';
import { Card, Page } from '../parts/page.tsx';
import { Empty, Loaded } from '../parts/states.tsx';
import { Time } from '../parts/time.tsx';

const columns: readonly Column<SavedProfile>[] = [
  { name: 'Name', cell: ({ name }) => <span className="mono break">{name}</span> },
  { name: 'Size', numeric: true, cell: ({ bytes: size }) => bytes(size) },
  { name: 'Saved', cell: ({ updatedAt }) => <Time at={updatedAt} seconds /> },
  { name: 'In use', cell: ({ inUse }) => (inUse ? 'Yes, a running session will save it' : 'No') },
  { name: 'Actions', actions: true, cell: ({ name }) => <DeleteButton name={name} /> },
];

export function Profiles() {
  const profiles = useGet('/profiles', { everyMs: 5_000 });
  const count = profiles.data?.profiles.length;
  return (
    <Page
      title="Saved profiles"
      about="Cookies and storage saved by a session, for later sessions to start with. Stored encrypted."
    >
      <Card
        title="Profiles"
        {...(count === undefined ? {} : { about: `${count} of ${maxSavedProfiles}` })}
        flush
      >
        <Loaded query={profiles}>
          {({ profiles: list }) =>
            list.length === 0 ? (
              <Empty icon="profiles" title="No saved profiles yet">
                Create a session with <code>profile</code> and <code>saveProfile</code>. Closing it saves one.
              </Empty>
            ) : (
              <DataTable label="Saved profiles" rows={list} rowKey={({ name }) => name} columns={columns} />
            )
          }
        </Loaded>
      </Card>
    </Page>
  );
}

function DeleteButton({ name }: { name: string }) {
  const remove = usePost('/profiles/:name/delete', { params: { name }, stale: ['/profiles'] });
  return (
    <Confirm
      action="Delete"
      about={`the profile ${name}`}
      title={`Delete ${name}?`}
      mutation={remove}
      danger
      size="xs"
    >
      The saved data is deleted for good. New sessions with this profile start empty. Running sessions
      continue.
    </Confirm>
  );
}
