import { Button, Checkbox, Group, Modal, NumberInput, Stack, Textarea, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { NewSavedProxy, SavedProxy } from '@turnpike/contract/proxies';
import { useState } from 'react';
import { useNavigate } from 'react-router';
import { useChange, usePost } from '../api/queries.ts';
import { useFieldErrors } from '../parts/forms/field-errors.ts';
import { Form } from '../parts/forms/form.tsx';
import { MaskedUrlInput } from '../parts/forms/masked-url-input.tsx';
import { Problem } from '../parts/states.tsx';
import { changeOf, formOf, type ProxyForm } from './proxy-text.ts';

/** A button with the form that adds a proxy, or changes one. */
export function ProxyFormButton({ proxy }: { proxy?: SavedProxy }) {
  const [opened, { open, close }] = useDisclosure(false);
  return (
    <>
      <Button variant={proxy ? 'default' : 'filled'} onClick={open}>
        {proxy ? 'Change' : 'Add proxy'}
      </Button>
      <Modal opened={opened} onClose={close} size="lg" title={proxy ? `Change ${proxy.name}` : 'Add proxy'}>
        {opened && <ProxyFields {...(proxy && { proxy })} onDone={close} />}
      </Modal>
    </>
  );
}

const fields = ['name', 'url', 'tags', 'country', 'notes', 'pricePerGb', 'ca', 'clientCertificate'];

function ProxyFields({ proxy, onDone }: { proxy?: SavedProxy; onDone: () => void }) {
  const [form, setForm] = useState(() => formOf(proxy));
  const navigate = useNavigate();
  const stale = ['/user/api/proxies', '/user/api/proxy-pools', '/user/api/default-proxy'] as const;
  const add = usePost('/user/api/proxies', { stale });
  const change = useChange('PATCH /user/api/proxies/:name', { params: { name: proxy?.name ?? '' }, stale });
  const errors = useFieldErrors(proxy ? change.error : add.error, fields);
  const set = (part: Partial<ProxyForm>) => setForm((former) => ({ ...former, ...part }));
  const text = (field: string, member: Exclude<keyof ProxyForm, 'price' | 'trustCa'>) =>
    errors.input(field, form[member], (value) => set({ [member]: value }));
  const submit = () => {
    const body = changeOf(form);
    if (!proxy) return add.mutate({ url: '', ...body } as NewSavedProxy, { onSuccess: onDone });
    change.mutate(body, {
      onSuccess: ({ name }) => {
        onDone();
        if (name !== proxy.name) void navigate(`/proxies/${encodeURIComponent(name)}`, { replace: true });
      },
    });
  };
  return (
    <Form noValidate onSubmit={submit}>
      <Stack>
        <TextInput
          label="Name"
          description="Creates use it as name:<name>"
          placeholder="shop-de"
          autoComplete="off"
          spellCheck={false}
          data-autofocus
          {...text('name', 'name')}
        />
        <MaskedUrlInput
          label="URL"
          description={
            proxy
              ? `Leave empty to keep ${proxy.url}`
              : 'With its password. It may have {country}, {session} and {key} in its user name and password.'
          }
          placeholder="http://user-country-{country}-session-{session}:password@host:port"
          autoComplete="off"
          spellCheck={false}
          {...text('url', 'url')}
        />
        <div className="field-grid">
          <TextInput
            label="Country"
            description="Two letters"
            placeholder="DE"
            maxLength={2}
            {...text('country', 'country')}
          />
          <NumberInput
            label="Price per GB"
            description="In a currency of your own"
            min={0}
            decimalScale={6}
            allowNegative={false}
            hideControls
            value={form.price}
            error={errors.at('pricePerGb')}
            onChange={(price) => {
              set({ price });
              errors.changed('pricePerGb');
            }}
          />
        </div>
        <TextInput
          label="Tags"
          description="With commas between them"
          placeholder="eu, shop"
          {...text('tags', 'tags')}
        />
        <Textarea label="Notes" autosize minRows={2} maxRows={6} {...text('notes', 'notes')} />
        <details>
          <summary>Certificates</summary>
          <Stack mt="sm">
            <Textarea
              label="CA bundle (PEM)"
              description={
                proxy?.hasCa
                  ? 'It has one. Leave empty to keep it.'
                  : 'The only authorities that the certificate of an https proxy may be from'
              }
              classNames={{ input: 'mono' }}
              rows={4}
              spellCheck={false}
              {...text('ca', 'ca')}
            />
            <Checkbox
              label="Browsers trust it too"
              description="For a proxy that opens TLS. Only the browsers of its own sessions do."
              checked={form.trustCa}
              onChange={(event) => set({ trustCa: event.currentTarget.checked })}
            />
            <Textarea
              label="Client certificate (PEM)"
              description={
                proxy?.hasClientCertificate
                  ? 'It has one. Leave both empty to keep it.'
                  : 'What an https proxy is shown when it asks for one'
              }
              classNames={{ input: 'mono' }}
              rows={4}
              spellCheck={false}
              {...text('clientCertificate', 'certificate')}
            />
            <Textarea
              label="Key of the client certificate (PEM)"
              description="Stored encrypted and never shown again"
              classNames={{ input: 'mono' }}
              rows={4}
              spellCheck={false}
              {...text('clientKey', 'key')}
            />
          </Stack>
        </details>
        {errors.rest && <Problem error={errors.rest} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onDone}>
            Cancel
          </Button>
          <Button type="submit" loading={add.isPending || change.isPending}>
            {proxy ? 'Save' : 'Add proxy'}
          </Button>
        </Group>
      </Stack>
    </Form>
  );
}
