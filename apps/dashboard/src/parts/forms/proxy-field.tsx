import { NativeSelect, Stack, TextInput } from '@mantine/core';
import type { ProxyPool, SavedProxy } from '@turnpike/contract/proxies';
import { useState } from 'react';
import { useGet } from '../../api/queries.ts';
import type { FieldErrors } from './field-errors.ts';
import { MaskedUrlInput } from './masked-url-input.tsx';
import { OwnProxy } from './own-proxy.tsx';
import { noProxy, type ProxyName, type ProxyValues } from './proxy-values.ts';

interface ProxyFieldProps {
  values: ProxyValues;
  onChange: (name: ProxyName, value: string) => void;
  errorAt: (name: ProxyName) => string | undefined;
}

/** The values of a form's proxy field, and what the field is given. */
export function useProxyField({ at, changed }: Pick<FieldErrors, 'at' | 'changed'>) {
  const [values, setValues] = useState(noProxy);
  const onChange: ProxyFieldProps['onChange'] = (name, value) => {
    setValues((former) => ({ ...former, [name]: value }));
    changed(name);
  };
  return { values, onChange, errorAt: at };
}

/** Asks for a create's proxy: a URL, a saved proxy, a pool, or the service's own metered proxy. */
export function ProxyField({ values, onChange, errorAt }: ProxyFieldProps) {
  const proxies = useGet('/user/api/proxies').data?.proxies ?? [];
  const pools = useGet('/user/api/proxy-pools').data?.pools ?? [];
  const standard = useGet('/user/api/default-proxy').data?.proxy ?? null;
  const choices = choicesOf(proxies, pools);
  const isNamed = /^(name|pool):/.test(values.proxy) || (values.proxy === '' && standard !== null);
  const input = (name: ProxyName, label: string, description: string, placeholder: string) => ({
    name,
    label,
    description,
    placeholder,
    autoComplete: 'off',
    spellCheck: false,
    value: values[name],
    error: errorAt(name),
    onChange: (event: { currentTarget: { value: string } }) => onChange(name, event.currentTarget.value),
  });
  return (
    <Stack>
      {choices.length > 0 && (
        <NativeSelect
          label="Saved proxy"
          data={[
            {
              value: '',
              label: standard === null ? 'None: a URL' : `None: a URL, or your default, ${standard}`,
            },
            ...choices,
          ]}
          value={isChoice(choices, values.proxy) ? values.proxy : ''}
          onChange={(event) => onChange('proxy', event.currentTarget.value)}
        />
      )}
      <MaskedUrlInput
        {...input(
          'proxy',
          'Proxy',
          'A URL, name:<saved proxy> or pool:<pool>',
          standard ?? 'http://user:password@host:port',
        )}
      />
      {isNamed && (
        <div className="field-grid">
          <TextInput
            {...input(
              'proxy_key',
              'Proxy key',
              'The same key gets the same proxy of a sticky pool, and the same {session} of a template.',
              'customer-42',
            )}
          />
          <TextInput
            {...input('proxy_country', 'Proxy country', 'For {country} in the URL of the saved proxy.', 'us')}
          />
        </div>
      )}
      {!isNamed && <OwnProxy onFill={(url) => onChange('proxy', url)} />}
    </Stack>
  );
}

interface Choices {
  group: string;
  items: { value: string; label: string }[];
}

function choicesOf(proxies: readonly SavedProxy[], pools: readonly ProxyPool[]): Choices[] {
  const groups = [
    {
      group: 'Saved proxies',
      items: proxies.map(({ name, country, health }) => ({
        value: `name:${name}`,
        label: [name, country, health.state === 'failing' ? 'failing' : null].filter(Boolean).join(', '),
      })),
    },
    {
      group: 'Pools',
      items: pools.map(({ name, policy, members }) => ({
        value: `pool:${name}`,
        label: `${name}, ${policy} of ${members.length}`,
      })),
    },
  ];
  return groups.filter(({ items }) => items.length > 0);
}

const isChoice = (choices: readonly Choices[], value: string): boolean =>
  choices.some(({ items }) => items.some((item) => item.value === value));
