/** The content of a report: text blocks and snapshots, one below the other. */
import type { ReactNode } from 'react';
import { EmptyState, Markdown, ReportParts, Timestamp } from '../../../ui';
import classes from './reports.module.css';
import type { Block, ViewBlock } from './report-types';

export type SnapshotFrame = (view: ViewBlock) => ReactNode;

type BodyProps = {
  blocks: readonly Block[];
  /** Renders the page of a snapshot. */
  page: SnapshotFrame;
};

export function ReportBody({ blocks, page }: BodyProps) {
  if (blocks.length === 0)
    return (
      <div className={classes.inset}>
        <EmptyState>This report is empty.</EmptyState>
      </div>
    );
  return (
    <ReportParts value={partsOf(blocks)}>
      {blocks.map((block) =>
        block.kind === 'text' ? (
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
            <ViewCaption title={block.title} note={block.note} frozenAt={block.captured_at} />
            <div className={classes.page}>{page(block)}</div>
          </section>
        ),
      )}
    </ReportParts>
  );
}

export const partId = ({ id }: Block): string => `part-${id}`;

/**
 * Returns the id of the part that shows each page, by path; of several parts with one page, the
 * first.
 */
export const partsOf = (blocks: readonly Block[]): Map<string, string> =>
  new Map(
    blocks
      .flatMap((block): [string, string][] =>
        block.kind === 'text' ? [] : [[block.path.replace(/[?#].*$/u, ''), partId(block)]],
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
          snapshot <Timestamp at={frozenAt} exact />
        </span>
        <span className="grow" />
        {controls}
      </div>
      {note !== '' && <Markdown text={note} />}
    </div>
  );
}
