/** Markdown of users: no raw HTML, no external images, only web links. Loaded on first use. */
import { Suspense, lazy } from 'react';
import type { MarkdownProps } from './MarkdownText';
import classes from './Markdown.module.css';

const Text = lazy(() => import('./MarkdownText'));

export function Markdown(props: MarkdownProps) {
  return (
    <div className={classes.text}>
      <Suspense fallback={<p className={classes.plain}>{props.text}</p>}>
        <Text {...props} />
      </Suspense>
    </div>
  );
}
