/**
 * Links between pages. In a report, a link to another part of the report scrolls to it, and a link
 * to any other page is plain text, because a report contains no other pages.
 */
import { createLink } from '@tanstack/react-router';
import { useContext, type ComponentPropsWithRef } from 'react';
import { ReportParts } from '../ui';
import { pathOf } from './snapshots/snapshot-history';
import { SnapshotPathContext } from './snapshots/snapshot-page';

const belowTeam = (path: string): string => path.replace(/^\/t\/[^/]+/u, '');

/**
 * Scrolls without changing the URL: the URL of a shared report may contain a secret, and readers
 * pass it on.
 */
function goTo(part: string): void {
  const there = document.getElementById(part);
  there?.scrollIntoView();
  there?.focus({ preventScroll: true });
}

function Anchor({ href, className, children, ...rest }: ComponentPropsWithRef<'a'>) {
  const here = useContext(SnapshotPathContext);
  const parts = useContext(ReportParts);
  const to = pathOf(href ?? '');
  const part = here === null || to === here ? undefined : parts.get(belowTeam(to));
  if (part !== undefined)
    return (
      <a
        href={`#${part}`}
        className={className}
        onClick={(event) => {
          event.preventDefault();
          event.stopPropagation();
          goTo(part);
        }}
      >
        {children}
      </a>
    );
  if (here !== null && to !== here)
    return <span className={className?.replace(/\blink\b/u, '')}>{children}</span>;
  return (
    <a href={href} className={className} {...rest}>
      {children}
    </a>
  );
}

export const Link = createLink(Anchor);
