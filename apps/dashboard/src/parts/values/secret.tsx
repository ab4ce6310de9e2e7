import { CopyButton } from './copy-button.tsx';

/** A secret in plain text, with a copy button. */
export function Secret({ name, value }: { name: string; value: string }) {
  return (
    <fieldset className="secret" aria-label={name}>
      <code>{value}</code>
      <CopyButton value={value} what={name} />
    </fieldset>
  );
}
