import type { ReactNode } from 'react';

interface FormProps {
  onSubmit: (form: HTMLFormElement) => void;
  className?: string;
  /** The gateway's errors say more than the browser's. */
  noValidate?: boolean;
  children: ReactNode;
}

/** A form that a script sends. */
export function Form({ onSubmit, ...props }: FormProps) {
  return (
    <form
      {...props}
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit(event.currentTarget);
      }}
    />
  );
}
