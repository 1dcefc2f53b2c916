/**
 * The discussion of a page's subject: in a section, without a section, or in a drawer. A report
 * does not show it.
 */
import { Drawer, Menu } from '@mantine/core';
import { getRouteApi, useLocation } from '@tanstack/react-router';
import { useState } from 'react';
import { Discussion, useCounts, type Subject } from '../features/sharing/discussions';
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

/**
 * Returns a menu item with the number of comments, and the drawer with the discussion that it
 * opens.
 * @param aimed whether a link to a comment refers to a comment of this subject; if so, the drawer
 * is open at first.
 */
export function useDiscussionDrawer(subject: Subject, aimed: boolean) {
  const { frozen } = teamRoute.useRouteContext();
  const aim = useLocation({ select: ({ hash }) => hash });
  const [opened, setOpened] = useState(aimed && aim.startsWith('comment-'));
  const count = useCounts(subject.kind, frozen ? null : subject.id).get(subject.part ?? '') ?? 0;
  if (frozen) return { item: null, drawer: null };
  return {
    item: (
      <Menu.Item onClick={() => setOpened(true)}>
        Discussion{count > 0 ? ` (${count})` : ''}
      </Menu.Item>
    ),
    drawer: (
      <Drawer
        opened={opened}
        onClose={() => setOpened(false)}
        position="right"
        size="min(480px, 100vw)"
        title="Discussion"
        closeButtonProps={{ 'aria-label': 'Close the discussion' }}
        attributes={{ header: { role: 'presentation' } }}
      >
        <PageDiscussion bare subject={subject} />
      </Drawer>
    ),
  };
}
