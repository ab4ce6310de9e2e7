import { type Extension, maxExtensions } from '@turnpike/contract/extension';
import { useDelete, useExtensionUpload, useGet } from '../api/queries.ts';
import { Confirm } from '../parts/forms/confirm.tsx';
import { UploadButton } from '../parts/forms/upload-button.tsx';
import { Card, Page } from '../parts/page.tsx';
import { Empty, Loaded, Problem } from '../parts/states.tsx';
import { type Column, DataTable } from '../parts/tables/data-table.tsx';
import { bytes } from '../parts/values/figures.ts';
import { Time } from '../parts/values/time.tsx';

const columns: readonly Column<Extension>[] = [
  { name: 'Name', cell: ({ name }) => <span className="break">{name}</span> },
  { name: 'Version', cell: ({ version }) => version },
  { name: 'ID', cell: ({ id }) => <span className="mono break">{id}</span> },
  { name: 'Size', numeric: true, cell: ({ size }) => bytes(size) },
  { name: 'Uploaded', cell: ({ createdAt }) => <Time at={createdAt} seconds /> },
  { name: 'Actions', actions: true, cell: ({ id, name }) => <DeleteButton id={id} name={name} /> },
];

export function Extensions() {
  const extensions = useGet('/user/api/extensions', { everyMs: 5_000 });
  const upload = useExtensionUpload();
  const count = extensions.data?.extensions.length;
  return (
    <Page title="Extensions" about="Browser extensions that your sessions can load. Stored encrypted.">
      <Card
        title="Extensions"
        {...(count !== undefined && { about: `${count} of ${maxExtensions}` })}
        actions={
          <UploadButton
            label="Upload extension"
            accept=".zip,.crx"
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
        <Loaded query={extensions}>
          {({ extensions: list }) => (
            <DataTable
              label="Extensions"
              rows={list}
              rowKey={({ id }) => id}
              columns={columns}
              empty={
                <Empty icon="extensions" title="No extensions yet">
                  Upload a zip or crx file, and name it in <code>extensions</code> when you create a session.
                </Empty>
              }
            />
          )}
        </Loaded>
      </Card>
    </Page>
  );
}

function DeleteButton({ id, name }: { id: string; name: string }) {
  const remove = useDelete('/user/api/extensions/:id', { params: { id }, stale: ['/user/api/extensions'] });
  return (
    <Confirm
      action="Delete"
      about={`the extension ${name}`}
      title={`Delete ${name}?`}
      mutation={remove}
      danger
      size="xs"
    >
      New sessions cannot load it any more. Running sessions continue.
    </Confirm>
  );
}
