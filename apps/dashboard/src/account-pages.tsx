import { lazy, Suspense } from 'react';
import { Route, Routes } from 'react-router';
import { Bandwidth } from './bandwidth/bandwidth.tsx';
import { Crawl } from './crawls/crawl.tsx';
import { Crawls } from './crawls/crawls.tsx';
import { Events } from './events/events.tsx';
import { Extensions } from './extensions/extensions.tsx';
import { Keys } from './keys/keys.tsx';
import { NewSession } from './new-session/new-session.tsx';
import { NotFound } from './not-found.tsx';
import { Overview } from './overview/overview.tsx';
import { Loading } from './parts/states.tsx';
import { Profiles } from './profiles/profiles.tsx';
import { PoolPage } from './proxies/pool-page.tsx';
import { Proxies } from './proxies/proxies.tsx';
import { ProxyPage } from './proxies/proxy-page.tsx';
import { ReadPage } from './read-page/read-page.tsx';
import { Session } from './sessions/session.tsx';
import { Sessions } from './sessions/sessions.tsx';
import { Traffic } from './traffic/traffic.tsx';
import { Usage } from './usage/usage.tsx';
import { Webhook } from './webhooks/webhook.tsx';
import { Webhooks } from './webhooks/webhooks.tsx';

const RecordingPage = lazy(() => import('./recording/recording-page.tsx'));

export function AccountPages() {
  return (
    <Routes>
      <Route path="/" element={<Overview />} />
      <Route path="/sessions" element={<Sessions />} />
      <Route path="/sessions/:id" element={<Session />} />
      <Route
        path="/sessions/:id/recording"
        element={
          <Suspense fallback={<Loading lines={8} />}>
            <RecordingPage />
          </Suspense>
        }
      />
      <Route path="/new-session" element={<NewSession />} />
      <Route path="/read-page" element={<ReadPage />} />
      <Route path="/crawls" element={<Crawls />} />
      <Route path="/crawls/:id" element={<Crawl />} />
      <Route path="/usage" element={<Usage />} />
      <Route path="/traffic" element={<Traffic />} />
      <Route path="/bandwidth" element={<Bandwidth />} />
      <Route path="/events" element={<Events />} />
      <Route path="/webhooks" element={<Webhooks />} />
      <Route path="/webhooks/:id" element={<Webhook />} />
      <Route path="/proxies" element={<Proxies />} />
      <Route path="/proxies/:name" element={<ProxyPage />} />
      <Route path="/proxies/pools/:name" element={<PoolPage />} />
      <Route path="/profiles" element={<Profiles />} />
      <Route path="/extensions" element={<Extensions />} />
      <Route path="/keys" element={<Keys />} />
      <Route path="*" element={<NotFound />} />
    </Routes>
  );
}
