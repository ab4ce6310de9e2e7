import { Alert, Button, Group, Skeleton, Stack, Text } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Icon, type IconName } from './icons.tsx';

const widths = ['40%', '92%', '84%', '88%', '70%', '80%', '60%', '74%'];

export function Loading({ lines = 4 }: { lines?: number }) {
  return (
    <div role="status" aria-label="Loading">
      <Stack gap="sm">
        {widths.slice(0, lines).map((width) => (
          <Skeleton key={width} height={14} width={width} />
        ))}
      </Stack>
    </div>
  );
}

export function Problem({ error, onRetry }: { error: Error; onRetry?: () => void }) {
  return (
    <Alert color="red" icon={<Icon name="warning" />} title={error.message} role="alert">
      {onRetry && (
        <Button size="xs" variant="default" onClick={onRetry}>
          Try again
        </Button>
      )}
    </Alert>
  );
}

interface EmptyProps {
  icon: IconName;
  title: string;
  children?: ReactNode;
}

export function Empty({ icon, title, children }: EmptyProps) {
  return (
    <div className="empty">
      <span className="empty-icon">
        <Icon name={icon} size={26} />
      </span>
      <Text fw={600}>{title}</Text>
      {children && (
        <Text c="dimmed" size="sm" component="div">
          {children}
        </Text>
      )}
    </div>
  );
}

interface LoadedProps<T> {
  query: UseQueryResult<T>;
  lines?: number;
  children: (data: T) => ReactNode;
}

/** Shows loading, error or data. When a refresh fails, the old data stays, with a warning. */
export function Loaded<T>({ query, lines, children }: LoadedProps<T>) {
  const { data, error, refetch } = query;
  if (data === undefined) {
    if (error) return <Problem error={error} onRetry={() => void refetch()} />;
    return <Loading {...(lines ? { lines } : {})} />;
  }
  return (
    <>
      {error && <Stale error={error} onRetry={() => void refetch()} />}
      {children(data)}
    </>
  );
}

function Stale({ error, onRetry }: { error: Error; onRetry: () => void }) {
  return (
    <Alert color="yellow" icon={<Icon name="warning" />} mb="sm" role="status">
      <Group justify="space-between">
        <span>Could not refresh: {error.message}</span>
        <Button size="compact-xs" variant="default" onClick={onRetry}>
          Try again
        </Button>
      </Group>
    </Alert>
  );
}
