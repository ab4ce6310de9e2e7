import { Button, Group, Input, Modal, NativeSelect, Stack, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { type ProxyPolicy, type ProxyPool, proxyPolicies } from '@turnpike/contract/proxies';
import { useState } from 'react';
import { useNavigate } from 'react-router';
import { useChange, useGet, usePost } from '../api/queries.ts';
import { useFieldErrors } from '../parts/forms/field-errors.ts';
import { Form } from '../parts/forms/form.tsx';
import { Problem } from '../parts/states.tsx';
import { policyNames } from './policies.ts';

/** A button with the form that adds a pool, or changes one. */
export function PoolFormButton({ pool }: { pool?: ProxyPool }) {
  const [opened, { open, close }] = useDisclosure(false);
  return (
    <>
      <Button variant="default" onClick={open}>
        {pool ? 'Change' : 'Add pool'}
      </Button>
      <Modal opened={opened} onClose={close} title={pool ? `Change ${pool.name}` : 'Add pool'}>
        {opened && <PoolFields {...(pool && { pool })} onDone={close} />}
      </Modal>
    </>
  );
}

function PoolFields({ pool, onDone }: { pool?: ProxyPool; onDone: () => void }) {
  const navigate = useNavigate();
  const [name, setName] = useState(pool?.name ?? '');
  const [policy, setPolicy] = useState<ProxyPolicy>(pool?.policy ?? 'round_robin');
  const [members, setMembers] = useState(pool?.members.map((member) => member.name) ?? []);
  const stale = ['/user/api/proxy-pools', '/user/api/default-proxy'] as const;
  const add = usePost('/user/api/proxy-pools', { stale });
  const change = useChange('PATCH /user/api/proxy-pools/:name', {
    params: { name: pool?.name ?? '' },
    stale,
  });
  const errors = useFieldErrors(pool ? change.error : add.error, ['name', 'policy', 'members']);
  const submit = () => {
    const body = { name: name.trim(), policy, members };
    if (!pool) return add.mutate(body, { onSuccess: onDone });
    change.mutate(body, {
      onSuccess: (changed) => {
        onDone();
        if (changed.name !== pool.name) {
          void navigate(`/proxies/pools/${encodeURIComponent(changed.name)}`, { replace: true });
        }
      },
    });
  };
  return (
    <Form noValidate onSubmit={submit}>
      <Stack>
        <TextInput
          label="Name"
          description="Creates use it as pool:<name>"
          placeholder="de"
          autoComplete="off"
          spellCheck={false}
          data-autofocus
          {...errors.input('name', name, setName)}
        />
        <NativeSelect
          label="Policy"
          description="Which member a create gets. A sticky pool needs proxy_key in the create."
          data={proxyPolicies.map((value) => ({ value, label: policyNames[value] }))}
          value={policy}
          error={errors.at('policy')}
          onChange={(event) => {
            setPolicy(event.currentTarget.value as ProxyPolicy);
            errors.changed('policy');
          }}
        />
        <Members
          members={members}
          error={errors.at('members')}
          onChange={(next) => {
            setMembers(next);
            errors.changed('members');
          }}
        />
        {errors.rest && <Problem error={errors.rest} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onDone}>
            Cancel
          </Button>
          <Button type="submit" loading={add.isPending || change.isPending}>
            {pool ? 'Save' : 'Add pool'}
          </Button>
        </Group>
      </Stack>
    </Form>
  );
}

interface MembersProps {
  members: readonly string[];
  error: string | undefined;
  onChange: (members: string[]) => void;
}

/** The members in their order, and those that may be added. */
function Members({ members, error, onChange }: MembersProps) {
  const proxies = useGet('/user/api/proxies').data?.proxies ?? [];
  const left = proxies.map(({ name }) => name).filter((name) => !members.includes(name));
  const moveUp = (index: number) => {
    const [moved = ''] = members.slice(index, index + 1);
    const rest = members.filter((_, other) => other !== index);
    onChange([...rest.slice(0, index - 1), moved, ...rest.slice(index - 1)]);
  };
  return (
    <div>
      <Input.Label>Members</Input.Label>
      <ol className="pool-members">
        {members.map((name, index) => (
          <li key={name}>
            <span className="mono break grow">{name}</span>
            <Button
              size="compact-xs"
              variant="default"
              disabled={index === 0}
              aria-label={`Move ${name} up`}
              onClick={() => moveUp(index)}
            >
              Up
            </Button>
            <Button
              size="compact-xs"
              variant="default"
              aria-label={`Remove ${name}`}
              onClick={() => onChange(members.filter((other) => other !== name))}
            >
              Remove
            </Button>
          </li>
        ))}
      </ol>
      <NativeSelect
        aria-label="Add a member"
        data={[
          { value: '', label: left.length > 0 ? 'Add a saved proxy…' : 'All saved proxies are members' },
          ...left.map((name) => ({ value: name, label: name })),
        ]}
        value=""
        error={error}
        onChange={(event) => event.currentTarget.value && onChange([...members, event.currentTarget.value])}
      />
    </div>
  );
}
