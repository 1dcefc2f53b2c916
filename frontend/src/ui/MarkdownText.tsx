import { createElement, useMemo, type ComponentProps } from 'react';
import ReactMarkdown, { type Components } from 'react-markdown';
import remarkGfm from 'remark-gfm';
import classes from './Markdown.module.css';

export type MarkdownProps = {
  text: string;
  /** Level of the largest headings of the text, below those around it; 3 by default. */
  headings?: 2 | 3 | 4;
  /** Names whose `@Name` is marked. */
  names?: string[];
};

type Node = { type: string; value?: string; tagName?: string; children?: Node[] };

/** Returns a plugin that wraps each `@Name` of a text in a mark, except in code. */
function markNames(names: string[]) {
  const sorted = [...names].sort((one, other) => other.length - one.length);
  const escaped = sorted.map((name) => name.replace(/[.*+?^${}()|[\]\\/-]/gu, '\\$&'));
  const pattern =
    escaped.length > 0 ? new RegExp(`(?<![\\w@])(@(?:${escaped.join('|')}))(?!\\w)`, 'giu') : null;
  const split = (node: Node): Node[] => {
    if (node.type === 'text' && pattern)
      return (node.value ?? '').split(pattern).map((value, index) =>
        index % 2 === 0
          ? { type: 'text', value }
          : {
              type: 'element',
              tagName: 'mark',
              properties: {},
              children: [{ type: 'text', value }],
            },
      );
    if (node.children && node.tagName !== 'code')
      return [{ ...node, children: node.children.flatMap(split) }];
    return [node];
  };
  return () => (tree: Node) => {
    tree.children = tree.children?.flatMap(split);
  };
}

const isOurs = (href: string | undefined): boolean =>
  href === undefined || href.startsWith('#') || (href.startsWith('/') && !href.startsWith('//'));

function Anchor({ href, children }: ComponentProps<'a'>) {
  return isOurs(href) ? (
    <a href={href} className="link">
      {children}
    </a>
  ) : (
    <a href={href} className="link" target="_blank" rel="noreferrer noopener nofollow">
      {children}
    </a>
  );
}

function componentsOf(headings: number): Components {
  const level = (below: number) => {
    const tag = `h${Math.min(headings + below, 6)}`;
    return ({ children }: { children?: React.ReactNode }) => createElement(tag, {}, children);
  };
  return {
    a: ({ href, children }) => <Anchor href={href}>{children}</Anchor>,
    // An image on another server would reveal to its owner who reads the text, and when.
    img: ({ src, alt }) => (
      <Anchor href={typeof src === 'string' ? src : undefined}>
        {alt === '' ? 'picture' : (alt ?? 'picture')}
      </Anchor>
    ),
    mark: ({ children }) => <span className={classes.name}>{children}</span>,
    table: ({ children }) => (
      <div className={classes.scroll} tabIndex={0} role="group" aria-label="Table">
        <table>{children}</table>
      </div>
    ),
    h1: level(0),
    h2: level(1),
    h3: level(2),
    h4: level(3),
    h5: level(4),
    h6: level(5),
  };
}

const GFM = [remarkGfm];
const NO_NAMES: string[] = [];

export default function MarkdownText({ text, headings = 3, names = NO_NAMES }: MarkdownProps) {
  const components = useMemo(() => componentsOf(headings), [headings]);
  const plugins = useMemo(() => [markNames(names)], [names]);
  return (
    <ReactMarkdown remarkPlugins={GFM} rehypePlugins={plugins} components={components}>
      {text}
    </ReactMarkdown>
  );
}
