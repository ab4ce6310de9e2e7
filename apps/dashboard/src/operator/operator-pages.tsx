import { Route, Routes } from 'react-router';
import { NotFound } from '../not-found.tsx';
import { Account } from './account.tsx';
import { Accounts } from './accounts.tsx';
import { Audit } from './audit.tsx';
import { Hosts } from './hosts.tsx';
import { OperatorOverview } from './operator-overview.tsx';
import { OperatorSession } from './operator-session.tsx';
import { OperatorSessions } from './operator-sessions.tsx';
import { Operators } from './operators.tsx';
import { Products } from './products.tsx';
import { Tokens } from './tokens.tsx';

/** Loaded when an operator signs in. */
export default function OperatorPages() {
  return (
    <Routes>
      <Route path="/" element={<OperatorOverview />} />
      <Route path="/accounts" element={<Accounts />} />
      <Route path="/accounts/:id" element={<Account />} />
      <Route path="/sessions" element={<OperatorSessions />} />
      <Route path="/sessions/:id" element={<OperatorSession />} />
      <Route path="/hosts" element={<Hosts />} />
      <Route path="/products" element={<Products />} />
      <Route path="/audit" element={<Audit />} />
      <Route path="/tokens" element={<Tokens />} />
      <Route path="/operators" element={<Operators />} />
      <Route path="*" element={<NotFound />} />
    </Routes>
  );
}
