import { Button, Checkbox, Group, NativeSelect, Stack, Textarea, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useLocation, useNavigate } from 'react-router';
import { usePost } from '../api/queries.ts';
import { ApiFailure } from '../api/request.ts';
import { useFieldErrors } from '../parts/forms/field-errors.ts';
import { Form } from '../parts/forms/form.tsx';
import { ProxyField } from '../parts/forms/proxy-field.tsx';
import type { ProxyValues } from '../parts/forms/proxy-values.ts';
import { Card, Page } from '../parts/page.tsx';
import { Problem } from '../parts/states.tsx';
import { Snippets } from '../parts/values/code.tsx';
import { createSnippets } from './create-snippets.ts';
import {
  allFields,
  bodyOf,
  browserFields,
  deviceFields,
  type Field,
  flagFields,
  initialValues,
  objectFields,
  proxyFields,
  type Values,
  valuesFrom,
} from './fields.ts';

export function NewSession() {
  const { state } = useLocation() as { state: { params?: Record<string, unknown> } | null };
  const [values, setValues] = useState<Values>(state?.params ? valuesFrom(state.params) : initialValues);
  const navigate = useNavigate();
  const open = usePost('/api/browser/create', {
    stale: ['/running', '/overview', '/sessions'],
  });
  const body = bodyOf(values);
  const errors = useFieldErrors(
    open.error,
    allFields.map(({ name }) => name),
  );
  const set = (name: string, value: string | boolean) => {
    // A headless browser has no live view, which the form offers by default.
    const others = name === 'headless' && value === true ? { vnc: false } : {};
    setValues((former) => ({ ...former, ...others, [name]: value }));
    errors.changed(name);
  };
  const input = (field: Field) => (
    <FieldInput
      key={field.name}
      field={field}
      value={values[field.name] ?? ''}
      error={errors.at(field.name)}
      onChange={(value) => set(field.name, value)}
    />
  );
  return (
    <Page title="New session" about="Start a browser behind your proxy.">
      <div className="columns columns-wide-first">
        <Form
          noValidate
          onSubmit={(form) =>
            open.mutate(body, {
              onSuccess: ({ browserId }) => void navigate(`/sessions/${browserId}`),
              // The field may be out of sight, and its words with it.
              onError: (error) => {
                if (error instanceof ApiFailure && error.field) {
                  (form.elements.namedItem(error.field) as HTMLElement | null)?.focus();
                }
              },
            })
          }
        >
          <div className="stack">
            <Card title="Proxy">
              <Stack>
                <ProxyField values={values as ProxyValues} errorAt={errors.at} onChange={set} />
                {proxyFields.length > 0 && <div className="field-grid">{proxyFields.map(input)}</div>}
              </Stack>
            </Card>
            <Card title="Browser">
              <Stack>
                <div className="field-grid">{browserFields.map(input)}</div>
                <div className="field-grid field-grid-top">{flagFields.map(input)}</div>
              </Stack>
            </Card>
            <Card title="Device profile" about="Empty fields are chosen automatically so that they agree.">
              <div className="field-grid">{deviceFields.map(input)}</div>
            </Card>
            <Card title="Custom data">{objectFields.map(input)}</Card>
            {errors.rest && <Problem error={errors.rest} />}
            <Group justify="flex-end">
              <Button type="submit" size="md" loading={open.isPending}>
                Open session
              </Button>
            </Group>
          </div>
        </Form>
        <div className="beside">
          <Card title="Code" about="Updated as you fill in the form. The key is read from TURNPIKE_API_KEY.">
            <Snippets label="Equivalent code" snippets={createSnippets(body, location.origin)} />
          </Card>
        </div>
      </div>
    </Page>
  );
}

interface FieldInputProps {
  field: Field;
  value: string | boolean;
  error: string | undefined;
  onChange: (value: string | boolean) => void;
}

function FieldInput({ field, value, error, onChange }: FieldInputProps) {
  const { name, label, about, kind, placeholder, choices } = field;
  const common = { name, label, description: about, error };
  const text = {
    ...common,
    value: String(value),
    autoComplete: 'off',
    spellCheck: false,
    ...(placeholder ? { placeholder } : {}),
    onChange: (event: { currentTarget: { value: string } }) => onChange(event.currentTarget.value),
  };
  if (kind === 'flag') {
    return (
      <Checkbox
        {...common}
        checked={value === true}
        onChange={(event) => onChange(event.currentTarget.checked)}
      />
    );
  }
  if (kind === 'choice') {
    return (
      <NativeSelect {...common} data={[...(choices ?? [])]} value={String(value)} onChange={text.onChange} />
    );
  }
  if (kind === 'object') {
    return <Textarea {...text} rows={4} classNames={{ input: 'mono' }} />;
  }
  return <TextInput {...text} {...(kind === 'integer' ? { inputMode: 'numeric' as const } : {})} />;
}
