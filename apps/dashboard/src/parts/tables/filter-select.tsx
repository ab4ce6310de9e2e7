import { NativeSelect } from '@mantine/core';

interface FilterSelectProps {
  label: string;
  /** Empty: no filter. */
  value: string;
  choices: readonly { value: string; label: string }[];
  onSelect: (value: string) => void;
}

/** Filters a table by one of a few values, or by none. */
export function FilterSelect({ label, value, choices, onSelect }: FilterSelectProps) {
  return (
    <NativeSelect
      label={label}
      value={value}
      data={[{ value: '', label: 'Any' }, ...choices]}
      onChange={(event) => onSelect(event.currentTarget.value)}
    />
  );
}
