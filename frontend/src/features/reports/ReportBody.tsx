/** A report as readers see it: prose and frozen views, one under the other. */
import type { ReactNode } from 'react';
import { EmptyState, Markdown, ReportParts, Time } from '../../ui';
import classes from './reports.module.css';
import type { Block, ViewBlock } from './types';

export type FrozenPage = (view: ViewBlock) => ReactNode;

type BodyProps = {
  blocks: readonly Block[];
  /** The page of a view, from its recording. */
  page: FrozenPage;
};

export function ReportBody({ blocks, page }: BodyProps) {
  if (blocks.length === 0)
    return (
      <div className={classes.inset}>
        <EmptyState>Nothing stands in this report yet.</EmptyState>
      </div>
    );
  return (
    <ReportParts value={partsOf(blocks)}>
      {blocks.map((block) =>
        block.kind === 'prose' ? (
          <section key={block.id} className={classes.prose}>
            <Markdown text={block.markdown} headings={2} />
          </section>
        ) : (
          <section
            key={block.id}
            id={partId(block)}
            tabIndex={-1}
            className={classes.view}
            aria-label={block.title}
          >
            <ViewCaption title={block.title} note={block.note} frozenAt={block.frozen_at} />
            <div className={classes.page}>{page(block)}</div>
          </section>
        ),
      )}
    </ReportParts>
  );
}

export const partId = ({ id }: Block): string => `part-${id}`;

/** Where each page stands; of several parts of one page the first. */
export const partsOf = (blocks: readonly Block[]): Map<string, string> =>
  new Map(
    blocks
      .flatMap((block): [string, string][] =>
        block.kind === 'prose' ? [] : [[block.path.replace(/[?#].*$/u, ''), partId(block)]],
      )
      .reverse(),
  );

type CaptionProps = { title: string; note: string; frozenAt: string; controls?: ReactNode };

export function ViewCaption({ title, note, frozenAt, controls }: CaptionProps) {
  return (
    <div className={classes.caption}>
      <div className={classes.captionLine}>
        <b className={classes.viewTitle}>{title}</b>
        <span className="muted nowrap">
          frozen <Time at={frozenAt} exact />
        </span>
        <span className="grow" />
        {controls}
      </div>
      {note !== '' && <Markdown text={note} />}
    </div>
  );
}
