/**
 * Links between pages. Inside a report they lead to its other parts; what leads elsewhere is only its words: there
 * are no other pages.
 */
import { createLink } from '@tanstack/react-router';
import { useContext, type ComponentPropsWithRef } from 'react';
import { ReportParts } from '../ui';
import { pathOf } from './snapshots/snapshot-history';
import { SnapshotPathContext } from './snapshots/snapshot-page';

const belowTeam = (path: string): string => path.replace(/^\/t\/[^/]+/u, '');

/** The address stays: a report's own may hold a secret, and readers pass it on. */
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
