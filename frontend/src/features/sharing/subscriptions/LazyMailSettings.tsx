/** Settings of mails and the page of an unsubscribe link, loaded when they are first shown. */
import { Suspense, lazy } from 'react';
import type { MailSettingsProps } from './MailSettings';

const Settings = lazy(() => import('./MailSettings'));
const Page = lazy(() => import('./UnsubscribePage'));

export function MailSettings(props: MailSettingsProps) {
  return (
    <Suspense fallback={null}>
      <Settings {...props} />
    </Suspense>
  );
}

export function UnsubscribePage({ token }: { token: string }) {
  return (
    <Suspense fallback={null}>
      <Page token={token} />
    </Suspense>
  );
}
