import { Button } from '@mantine/core';
import type { UseMutationResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Confirm } from '../parts/forms/confirm.tsx';

interface RevealActionsProps<Answer> {
  /** Such as “the proxy password”. */
  what: string;
  exists: boolean;
  isShown: boolean;
  reveal: UseMutationResult<Answer, Error, undefined>;
  rotate: UseMutationResult<Answer, Error, undefined>;
  /** Called with undefined to hide it. */
  onChange: (answer: Answer | undefined) => void;
  /** What a rotation means for those who use it. */
  children: ReactNode;
}

/** Buttons of a secret that is stored: shows, hides, generates and rotates it. */
export function RevealActions<Answer>(props: RevealActionsProps<Answer>) {
  const { what, exists, isShown, reveal, rotate, onChange, children } = props;
  const revealAction = exists ? 'Reveal' : 'Generate';
  return (
    <>
      {isShown ? (
        <Button variant="default" onClick={() => onChange(undefined)} aria-label={`Hide ${what}`}>
          Hide
        </Button>
      ) : (
        <Button
          variant="default"
          loading={reveal.isPending}
          onClick={() => reveal.mutate(undefined, { onSuccess: onChange })}
          aria-label={`${revealAction} ${what}`}
        >
          {revealAction}
        </Button>
      )}
      {exists && (
        <Confirm
          action="Rotate"
          about={what}
          title={`Rotate ${what}?`}
          mutation={rotate}
          onDone={onChange}
          danger
        >
          {children}
        </Confirm>
      )}
    </>
  );
}
