/** Links between pages. Inside a report those that lead elsewhere are only their words: there is no elsewhere. */
import { createLink } from '@tanstack/react-router';
import { useContext, type ComponentPropsWithRef } from 'react';
import { pathOf } from './frozen/history';
import { FrozenPath } from './frozen/page';

function Anchor({ href, className, children, ...rest }: ComponentPropsWithRef<'a'>) {
  const here = useContext(FrozenPath);
  if (here !== null && pathOf(href ?? '') !== here)
    return <span className={className?.replace(/\blink\b/u, '')}>{children}</span>;
  return (
    <a href={href} className={className} {...rest}>
      {children}
    </a>
  );
}

export const Link = createLink(Anchor);
