import { Text, Title } from '@mantine/core';
import { type ReactNode, useEffect } from 'react';
import { Brand } from '../parts/brand.tsx';

/** Layout of the pages before sign-in. */
export function AuthLayout({
  title,
  about,
  children,
}: {
  title: string;
  about?: ReactNode;
  children: ReactNode;
}) {
  useEffect(() => {
    document.title = `${title} · Turnpike`;
  }, [title]);
  return (
    <main className="auth-layout">
      <div className="auth-layout-card">
        <Brand />
        <div>
          <Title order={1} size="h3">
            {title}
          </Title>
          {about && (
            <Text c="dimmed" size="sm">
              {about}
            </Text>
          )}
        </div>
        {children}
      </div>
    </main>
  );
}
