/** The discussion of what a page shows. Inside a report it is shown without it. */
import { getRouteApi, useLocation } from '@tanstack/react-router';
import { Discussion, type Subject } from '../features/sharing/discussions';
import { Section } from '../ui';

const teamRoute = getRouteApi('/t/$team');

export function PageDiscussion({ subject, bare = false }: { subject: Subject; bare?: boolean }) {
  const { team, session, frozen } = teamRoute.useRouteContext();
  const aim = useLocation({ select: ({ hash }) => hash });
  if (frozen) return null;
  const discussion = (
    <Discussion
      key={`${subject.kind} ${subject.id} ${subject.part ?? ''}`}
      subject={subject}
      team={team}
      me={session.user.id}
      aim={aim}
    />
  );
  return bare ? discussion : <Section title="Discussion">{discussion}</Section>;
}
