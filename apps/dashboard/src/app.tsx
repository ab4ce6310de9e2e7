import type { Person } from '@turnpike/contract/dashboard/people';
import { lazy, Suspense } from 'react';
import { Navigate, Route, Routes } from 'react-router';
import { AccountPages } from './account-pages.tsx';
import { useMe } from './api/queries.ts';
import { Loading, Problem } from './parts/states.tsx';
import { Shell } from './shell/shell.tsx';
import { AuthLayout } from './sign-in/auth-layout.tsx';
import { ForgotPassword } from './sign-in/forgot-password.tsx';
import { SignIn } from './sign-in/sign-in.tsx';
import { Welcome } from './sign-in/welcome.tsx';

const SharedRecording = lazy(() => import('./recording/shared-page.tsx'));
const OperatorPages = lazy(() => import('./operator/operator-pages.tsx'));

export function App() {
  return (
    <Routes>
      <Route path="/welcome" element={<Welcome />} />
      <Route path="/forgot-password" element={<ForgotPassword />} />
      <Route
        path="/shared-recording"
        element={
          <Suspense fallback={<Loading lines={8} />}>
            <SharedRecording />
          </Suspense>
        }
      />
      <Route path="*" element={<Inside />} />
    </Routes>
  );
}

/** Pages that require sign-in. */
function Inside() {
  const { data: person, error, refetch } = useMe();
  if (person === undefined) {
    if (!error) return null;
    return (
      <AuthLayout title="Turnpike">
        <Problem error={error} onRetry={() => void refetch()} />
      </AuthLayout>
    );
  }
  if (person === null) return <SignIn />;
  return (
    <Shell person={person}>
      <Routes>
        <Route path="/sign-in" element={<Navigate to="/" replace />} />
        <Route path="*" element={<Pages person={person} />} />
      </Routes>
    </Shell>
  );
}

function Pages({ person }: { person: Person }) {
  if (person.role === 'account') return <AccountPages />;
  return (
    <Suspense fallback={<Loading lines={8} />}>
      <OperatorPages />
    </Suspense>
  );
}
