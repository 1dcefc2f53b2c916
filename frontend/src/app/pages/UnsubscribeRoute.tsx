import { getRouteApi } from '@tanstack/react-router';
import { UnsubscribePage } from '../../features/sharing/subscriptions';

const route = getRouteApi('/unsubscribe/$token');

export function UnsubscribeRoute() {
  return <UnsubscribePage token={route.useParams().token} />;
}
