import { maxSavedProfiles, type SavedProfile } from '@turnpike/contract/saved-profile';
import type { ReactNode } from 'react';
import { useDelete, useGet } from '../api/queries.ts';
import { Confirm } from '../parts/forms/confirm.tsx';
import { Card, Page } from '../parts/page.tsx';
import { Empty, Loaded } from '../parts/states.tsx';
import { type Column, DataTable } from '../parts/tables/data-table.tsx';
import { bytes } from '../parts/values/figures.ts';
import { Time } from '../parts/values/time.tsx';

const columnsWith = (DeleteButton: (row: { name: string }) => ReactNode): readonly Column<SavedProfile>[] => [
  { name: 'Name', cell: ({ name }) => <span className="mono break">{name}</span> },
  { name: 'Size', numeric: true, cell: ({ bytes: size }) => bytes(size) },
  { name: 'Saved', cell: ({ updatedAt }) => <Time at={updatedAt} seconds /> },
  { name: 'In use', cell: ({ inUse }) => (inUse ? 'Yes, a running session will save it' : 'No') },
  { name: 'Actions', actions: true, cell: ({ name }) => <DeleteButton name={name} /> },
];
const profileColumns = columnsWith(DeleteProfile);
const cacheColumns = columnsWith(DeleteCache);

export function Profiles() {
  const profiles = useGet('/user/api/profiles', { everyMs: 5_000 });
  const caches = useGet('/user/api/caches', { everyMs: 5_000 });
  return (
    <Page
      title="Saved profiles"
      about="Cookies, storage and caches saved by a session, for later sessions to start with. Stored encrypted."
    >
      <Card title="Profiles" {...countOf(profiles.data?.profiles)} flush>
        <Loaded query={profiles}>
          {({ profiles: list }) => (
            <DataTable
              label="Saved profiles"
              rows={list}
              rowKey={({ name }) => name}
              columns={profileColumns}
              empty={
                <Empty icon="profiles" title="No saved profiles yet">
                  Create a session with <code>profile</code> and <code>save_profile</code>. Closing it saves
                  one.
                </Empty>
              }
            />
          )}
        </Loaded>
      </Card>
      <Card title="HTTP caches" {...countOf(caches.data?.caches)} flush>
        <Loaded query={caches}>
          {({ caches: list }) => (
            <DataTable
              label="Saved caches"
              rows={list}
              rowKey={({ name }) => name}
              columns={cacheColumns}
              empty={
                <Empty icon="profiles" title="No saved caches yet">
                  Create a session with <code>cache</code>. Closing it saves one.
                </Empty>
              }
            />
          )}
        </Loaded>
      </Card>
    </Page>
  );
}

const countOf = (list: readonly unknown[] | undefined) =>
  list === undefined ? {} : { about: `${list.length} of ${maxSavedProfiles}` };

function DeleteProfile({ name }: { name: string }) {
  const remove = useDelete('/user/api/profiles/:name', { params: { name }, stale: ['/user/api/profiles'] });
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

function DeleteCache({ name }: { name: string }) {
  const remove = useDelete('/user/api/caches/:name', { params: { name }, stale: ['/user/api/caches'] });
  return (
    <Confirm
      action="Delete"
      about={`the cache ${name}`}
      title={`Delete ${name}?`}
      mutation={remove}
      danger
      size="xs"
    >
      New sessions with this cache load everything again. Running sessions continue.
    </Confirm>
  );
}
