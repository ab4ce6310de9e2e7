import { CopyButton } from './copy-button.tsx';

/** A secret that is on the screen because somebody asked for it. */
export function Secret({ name, value }: { name: string; value: string }) {
  return (
    <fieldset className="secret" aria-label={name}>
      <code>{value}</code>
      <CopyButton value={value} what={name} />
    </fieldset>
  );
}
