/**
 * The page of an unsubscribe link. Opening it changes nothing, because programs that scan mails
 * open links.
 */
import { Button } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { ErrorState, SkeletonRows, useTitle } from '../../../ui';
import { AuthFrame } from '../../platform/accounts';
import { unsubscribeByLink, unsubscribeLinkQuery } from './subscription-queries';

export default function UnsubscribePage({ token }: { token: string }) {
  useTitle('Unsubscribe');
  const link = useQuery(unsubscribeLinkQuery(token));
  const end = useMutation({ mutationFn: () => unsubscribeByLink(token) });
  if (link.error)
    return (
      <AuthFrame title="Unsubscribe">
        <ErrorState what="Could not read the link" error={link.error} />
      </AuthFrame>
    );
  if (!link.data)
    return (
      <AuthFrame title="Unsubscribe">
        <SkeletonRows rows={1} />
      </AuthFrame>
    );
  if (end.isSuccess || !link.data.is_subscribed)
    return (
      <AuthFrame
        title="You are unsubscribed"
        sub="You get no more mails of this subscription. To subscribe again, sign in and open the page of the service."
      />
    );
  const { service_name, team_name } = link.data;
  return (
    <AuthFrame
      title="Unsubscribe?"
      sub={
        <>
          You get events of <b>{service_name ?? 'services'}</b> in the team <b>{team_name}</b> by
          e-mail.
        </>
      }
    >
      {end.error && <ErrorState compact what="Could not unsubscribe" error={end.error} />}
      <Button variant="filled" loading={end.isPending} onClick={() => end.mutate()}>
        Unsubscribe
      </Button>
    </AuthFrame>
  );
}
