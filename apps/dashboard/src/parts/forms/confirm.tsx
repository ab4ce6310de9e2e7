import { Button, Group, Modal, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { UseMutationResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Problem } from '../states.tsx';

interface ConfirmProps<Answer> {
  /** Label of the button. */
  action: string;
  /** Completes the button's accessible name where the label alone is ambiguous. */
  about?: string;
  title: string;
  /** Says what will happen. */
  children: ReactNode;
  mutation: UseMutationResult<Answer, Error, undefined>;
  onDone?: (answer: Answer) => void;
  danger?: boolean;
  size?: 'xs' | 'sm';
}

/** A button that asks for confirmation. */
export function Confirm<Answer>(props: ConfirmProps<Answer>) {
  const { action, about, title, children, mutation, onDone, danger = false, size = 'sm' } = props;
  const [opened, { open, close }] = useDisclosure(false);
  const confirm = () =>
    mutation.mutate(undefined, {
      onSuccess: (answer) => {
        close();
        onDone?.(answer);
      },
    });
  return (
    <>
      <Button
        size={size}
        variant="default"
        onClick={() => {
          mutation.reset();
          open();
        }}
        {...(about ? { 'aria-label': `${action} ${about}` } : {})}
      >
        {action}
      </Button>
      <Modal opened={opened} onClose={close} title={title}>
        <Text size="sm" component="div">
          {children}
        </Text>
        {mutation.error && (
          <div className="spaced">
            <Problem error={mutation.error} />
          </div>
        )}
        <Group justify="flex-end" mt="lg">
          <Button variant="default" onClick={close} data-autofocus>
            Cancel
          </Button>
          <Button {...(danger ? { color: 'red' } : {})} loading={mutation.isPending} onClick={confirm}>
            {action}
          </Button>
        </Group>
      </Modal>
    </>
  );
}
