/**
 * One page of the guide: Markdown with anchors, images of the guide's folder and links inside the
 * guide.
 */
import { useMemo, type ReactNode } from 'react';
import ReactMarkdown, { type Components, type ExtraProps } from 'react-markdown';
import remarkGfm from 'remark-gfm';
import { CodeBlock } from '../../../ui';
import classes from './GuideText.module.css';
import { fileUrlOf, guideAddressOf, type GuideAddress } from './guide-pages';
import { anchorOf } from './guide-sections';

/** Renders a link to a page of the guide. */
export type RenderGuideLink = (
  address: GuideAddress,
  words: ReactNode,
  className?: string,
) => ReactNode;

type HtmlElement = NonNullable<ExtraProps['node']>;

const textOf = (node: HtmlElement | HtmlElement['children'][number]): string =>
  'value' in node ? node.value : 'children' in node ? node.children.map(textOf).join('') : '';

type HeadingProps = ExtraProps & { children?: ReactNode };

function componentsFor(page: string, link: RenderGuideLink): Components {
  const heading = (Tag: 'h2' | 'h3' | 'h4') =>
    function GuideHeading({ node, children }: HeadingProps) {
      const anchor = anchorOf(node ? textOf(node) : '');
      return <Tag id={anchor}>{link({ page, hash: anchor }, children, classes.anchor)}</Tag>;
    };
  return {
    h1: ({ children }) => <h1>{children}</h1>,
    h2: heading('h2'),
    h3: heading('h3'),
    h4: heading('h4'),
    a: ({ href = '', children }) => {
      const address = guideAddressOf(href, page);
      if (address) return link(address, children, 'link');
      const file = fileUrlOf(href);
      if (file)
        return (
          <a href={file} className="link" download={href.split('/').at(-1)}>
            {children}
          </a>
        );
      return (
        <a href={href} className="link" target="_blank" rel="noreferrer noopener">
          {children}
        </a>
      );
    },
    img: ({ src, alt }) => (
      <img src={typeof src === 'string' ? fileUrlOf(src) : undefined} alt={alt} loading="lazy" />
    ),
    pre: ({ node, children }) => (
      <CodeBlock text={node ? textOf(node).trimEnd() : ''}>{children}</CodeBlock>
    ),
    table: ({ children }) => (
      <div className={classes.scroll} tabIndex={0} role="group" aria-label="Table">
        <table>{children}</table>
      </div>
    ),
  };
}

const PLUGINS = [remarkGfm];
const EXAMPLE_SERVER = 'https://slowpath.example';

/**
 * Replaces the example server in commands and files of the guide by this server; not in a guide
 * that was opened as a file.
 */
const nameServer = (text: string, { protocol, origin }: Pick<Location, 'protocol' | 'origin'>) =>
  protocol.startsWith('http') ? text.replaceAll(EXAMPLE_SERVER, origin) : text;

type GuideTextProps = { text: string; page: string; link: RenderGuideLink };

export function GuideText({ text, page, link }: GuideTextProps) {
  const components = useMemo(() => componentsFor(page, link), [page, link]);
  return (
    <div className={classes.text}>
      <ReactMarkdown remarkPlugins={PLUGINS} components={components}>
        {nameServer(text, window.location)}
      </ReactMarkdown>
    </div>
  );
}
