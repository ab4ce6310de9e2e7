import { Anchor } from '@mantine/core';
import type { SessionFile } from '@turnpike/contract/dashboard/account-pages';
import { useGet, usePost, useUpload } from '../api/queries.ts';
import { downloadUrl } from '../api/request.ts';
import { Confirm } from '../parts/forms/confirm.tsx';
import { UploadButton } from '../parts/forms/upload-button.tsx';
import { Card } from '../parts/page.tsx';
import { Empty, Loaded, Problem } from '../parts/states.tsx';
import { type Column, DataTable } from '../parts/tables/data-table.tsx';
import { bytes } from '../parts/values/figures.ts';
import { Time } from '../parts/values/time.tsx';

/** Files of a running session: downloads of its browser, and uploads for its pages. */
export function Files({ id }: { id: string }) {
  const files = useGet('/sessions/:id/files', { params: { id }, everyMs: 5_000 });
  const upload = useUpload(id);
  const columns: readonly Column<SessionFile>[] = [
    {
      name: 'Name',
      cell: ({ name }) => (
        <Anchor
          href={downloadUrl('/api/browser/:id/files/:name', { params: { id, name } })}
          download
          className="break"
        >
          {name}
        </Anchor>
      ),
    },
    { name: 'Size', numeric: true, cell: ({ bytes: size }) => bytes(size) },
    { name: 'Modified', cell: ({ modifiedAt }) => <Time at={modifiedAt} seconds /> },
    { name: 'Actions', actions: true, cell: ({ name }) => <DeleteButton id={id} name={name} /> },
  ];
  return (
    <Card
      title="Files"
      about={
        <>
          Downloads of the browser, and files that its pages can upload from <code>/home/user/files</code>.
          Deleted with the session.
        </>
      }
      actions={
        <UploadButton
          label="Upload file"
          isUploading={upload.isPending}
          onFile={(file) => upload.mutate(file)}
        />
      }
      flush
    >
      {upload.error && (
        <div className="card-inset">
          <Problem error={upload.error} />
        </div>
      )}
      <Loaded query={files}>
        {({ files: list }) => (
          <DataTable
            label="Files"
            rows={list}
            rowKey={({ name }) => name}
            columns={columns}
            empty={
              <Empty icon="files" title="No files">
                Downloads appear here when they are complete.
              </Empty>
            }
          />
        )}
      </Loaded>
    </Card>
  );
}

function DeleteButton({ id, name }: { id: string; name: string }) {
  const remove = usePost('/sessions/:id/files/:name/remove', { params: { id, name }, stale: ['/sessions'] });
  return (
    <Confirm action="Delete" about={name} title="Delete this file?" mutation={remove} danger size="xs">
      <span className="break">{name}</span> is deleted from the session at once.
    </Confirm>
  );
}
