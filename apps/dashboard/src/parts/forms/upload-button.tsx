import { Button, FileButton } from '@mantine/core';
import { useRef } from 'react';
import { Icon } from '../icons.tsx';

interface UploadButtonProps {
  label: string;
  /** Which files are offered: `.zip,.crx`. Default: all. */
  accept?: string;
  isUploading: boolean;
  onFile(file: File): void;
}

/** Lets a person choose a file, and passes it on. */
export function UploadButton({ label, accept, isUploading, onFile }: UploadButtonProps) {
  const reset = useRef<() => void>(null);
  return (
    <FileButton
      resetRef={reset}
      {...(accept !== undefined && { accept })}
      onChange={(file) => {
        if (file) onFile(file);
        // So that the same file can be chosen again.
        reset.current?.();
      }}
    >
      {(props) => (
        <Button
          {...props}
          variant="default"
          loading={isUploading}
          leftSection={<Icon name="upload" size={16} />}
        >
          {label}
        </Button>
      )}
    </FileButton>
  );
}
