import { TextInput, type TextInputProps } from '@mantine/core';
import { useState } from 'react';
import { maskPassword } from './mask-password.ts';

/** A field for a URL with credentials. The password is visible only while the field has the focus. */
export function MaskedUrlInput({ value, ...props }: TextInputProps & { value: string }) {
  const [focused, setFocused] = useState(false);
  return (
    <TextInput
      {...props}
      value={focused ? value : maskPassword(value)}
      onFocus={() => setFocused(true)}
      onBlur={() => setFocused(false)}
    />
  );
}
