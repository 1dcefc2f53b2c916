/** The three columns of a help page: all pages, the text, and the headings of the text. */
import { useState, type ReactNode } from 'react';
import classes from './GuideLayout.module.css';
import type { RenderGuideLink } from './GuideText';
import { GUIDE_GROUPS, titleOf } from './guide-pages';
import type { Heading } from './guide-sections';

type GuideNavigationProps = { page: string; link: RenderGuideLink };

/** All pages by group. On narrow screens they are behind a button with the name of the current page. */
function GuideNavigation({ page, link }: GuideNavigationProps) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <nav
      className={classes.navigation}
      aria-label="Pages of the guide"
      data-open={isOpen}
      onClick={(event) => {
        if ((event.target as Element).closest('a')) setIsOpen(false);
      }}
    >
      <button
        type="button"
        className={classes.toggle}
        aria-expanded={isOpen}
        onClick={() => setIsOpen(!isOpen)}
      >
        <span className="muted">Guide</span> {titleOf(page) ?? ''}
        <span className="grow" />
        <span className="muted">{isOpen ? 'Close' : 'All pages'}</span>
      </button>
      {GUIDE_GROUPS.map((group) => (
        <div key={group.name} className={classes.group}>
          <p className={classes.groupName}>{group.name}</p>
          <ul>
            {group.pages.map((entry) => (
              <li key={entry.page} data-current={entry.page === page}>
                {link({ page: entry.page }, entry.title)}
              </li>
            ))}
          </ul>
        </div>
      ))}
    </nav>
  );
}

type TableOfContentsProps = { page: string; headings: Heading[]; link: RenderGuideLink };

function TableOfContents({ page, headings, link }: TableOfContentsProps) {
  return (
    <nav className={classes.contents} aria-label="On this page">
      {headings.length > 1 && (
        <>
          <p className={classes.groupName}>On this page</p>
          <ul>
            {headings.map(({ anchor, level, text }) => (
              <li key={anchor} data-level={level}>
                {link({ page, hash: anchor }, text)}
              </li>
            ))}
          </ul>
        </>
      )}
    </nav>
  );
}

type GuideLayoutProps = {
  page: string;
  headings: Heading[];
  link: RenderGuideLink;
  children: ReactNode;
};

export function GuideLayout({ page, headings, link, children }: GuideLayoutProps) {
  return (
    <div className={classes.columns}>
      <GuideNavigation page={page} link={link} />
      <main id="main" className={classes.main} tabIndex={-1}>
        {children}
      </main>
      <TableOfContents page={page} headings={headings} link={link} />
    </div>
  );
}
