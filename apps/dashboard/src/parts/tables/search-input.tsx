import { TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { useState } from 'react';

interface SearchInputProps {
  label: string;
  hint: string;
  initial?: string;
  onSearch: (text: string) => void;
}

/** Searches when the user stops typing. */
export function SearchInput({ label, hint, initial = '', onSearch }: SearchInputProps) {
  const [text, setText] = useState(initial);
  const searchLater = useDebouncedCallback((value: string) => onSearch(value.trim()), 300);
  return (
    <TextInput
      className="grow"
      label={label}
      placeholder={hint}
      type="search"
      maxLength={200}
      value={text}
      onChange={(event) => {
        setText(event.currentTarget.value);
        searchLater(event.currentTarget.value);
      }}
    />
  );
}
