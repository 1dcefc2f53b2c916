/**
 * The list of findings, most important first: a sentence, its effect on a shared axis, the
 * attributed caller, and its certainty.
 */
import { useState, type ReactNode } from 'react';
import type { ComparisonResult, Finding, CostShift } from '../../../../api';
import { EffectAxis, EffectInterval } from '../../../../charts';
import {
  formatDelta,
  formatProbability,
  formatRatio,
  formatRatioRange,
  formatShare,
  unitOf,
} from '../../../../engine/format/format';
import { ratioAxis, type RatioAxis } from '../../../../engine/format/ratio-axis';
import type { TermName } from '../../../../lib/glossary';
import { countOf, EmptyState } from '../../../../ui';
import { Term, Terms } from '../../../../ui/Terms';
import { CompilerLine } from '../compiler/CompilerLine';
import { FindingDetail } from './FindingDetail';
import classes from './Findings.module.css';
import { KindIcon, iconOf } from '../shared/KindIcon';
import { FindingText } from '../shared/FindingText';
import {
  changeOfFinding,
  findingParts,
  kindLabel,
  partName,
  shortName,
  withNames,
} from '../shared/comparison-wording';

type FindingsProps = {
  result: ComparisonResult;
  chosen: number | null;
  unfolded: boolean;
  onChoose: (index: number) => void;
  onUnfold: (index: number, unfolded: boolean) => void;
  onShow: (finding: Finding, path: string[]) => void;
  discussion?: FindingDiscussion;
  /** Returns other actions on a finding, by its index in the list. */
  action?: (finding: Finding, index: number) => ReactNode;
};

/** The discussion of a finding and its number of comments, rendered by a higher feature. */
export type FindingDiscussion = {
  about: (finding: Finding) => ReactNode;
  count: (finding: Finding) => ReactNode;
};

/** The number of findings that fit above the graph on a usual screen; a click shows the others. */
const SHOWN_FIRST = 3;

const INTERVAL_WIDTH = 220;

/** Returns the terms that these findings use and no column header explains. */
function termsOf(findings: Finding[]): TermName[] {
  const says = (term: string) =>
    findings.some(({ sentence }) => sentence.toLowerCase().includes(term));
  const terms: TermName[] = [];
  if (findings.some(({ is_significant }) => !is_significant)) terms.push('tentative');
  if (findings.some((finding) => !isWait(finding) && hasCaller(finding)))
    terms.push('attributed cost');
  if (says('stack growth')) terms.push('stack growth');
  if (says('scheduler latency')) terms.push('scheduler latency');
  return terms;
}

const hasCaller = (finding: Finding): boolean => attributedCallerText(finding).name !== '';

export function Findings(props: FindingsProps) {
  const { result, chosen, unfolded, onChoose, onUnfold, onShow, discussion, action } = props;
  const [all, setAll] = useState(false);
  // The URL may choose a finding that is not shown at first.
  if (!all && chosen !== null && chosen >= SHOWN_FIRST) setAll(true);
  const { findings, cost_shifts } = result;
  const axis = ratioAxis(findings.map(rangeOf));
  const shown = all ? findings : findings.slice(0, SHOWN_FIRST);
  const hidden = findings.length - shown.length;
  const terms = termsOf(findings);
  const noCallers = !findings.some(hasCaller) || undefined;
  const kindOf = (kind: string | undefined) =>
    result.profile_kinds.length > 1 && kind ? kindLabel(kind) : '';
  if (findings.length === 0 && cost_shifts.length === 0) {
    return (
      <div className={classes.none}>
        <EmptyState help="inconclusive">{NOTHING_FOUND}</EmptyState>
      </div>
    );
  }
  return (
    <>
      <div className={classes.head} data-no-callers={noCallers}>
        <span className={classes.title}>{countText(findings.length)}</span>
        <span className={classes.whisker} aria-hidden>
          <EffectAxis axis={axis} width={INTERVAL_WIDTH} />
        </span>
        <span className={classes.effectHead}>
          effect, <Term name="confidence interval">95% interval</Term>
        </span>
        {!noCallers && (
          <span className={classes.callerHead}>{attributedCallerHeader(findings)}</span>
        )}
        <span className={classes.q}>
          <Term name="q-value">certainty</Term>
        </span>
      </div>
      <ol
        className={classes.list}
        data-no-callers={noCallers}
        aria-label="Findings, most important first"
      >
        {shown.map((finding, index) => (
          <li key={index}>
            <FindingRow
              finding={finding}
              number={index + 1}
              notes={
                <>
                  <ProfileKind kind={kindOf(finding.profile_kind)} />
                  {discussion?.count(finding)}
                </>
              }
              axis={axis}
              chosen={index === chosen}
              unfolded={index === chosen && unfolded}
              onChoose={() => onChoose(index)}
              onUnfold={(open) => onUnfold(index, open)}
            />
            <CompilerLine section={result.compiler} finding={index} />
            {index === chosen && unfolded && (
              <FindingDetail
                finding={finding}
                onShow={(path) => onShow(finding, path)}
                action={action?.(finding, index)}
                discussion={discussion?.about(finding)}
              />
            )}
          </li>
        ))}
        {hidden > 0 && (
          <li className={classes.rest}>
            <button type="button" className="link" onClick={() => setAll(true)}>
              Show {countOf(hidden, 'more finding')}
            </button>
          </li>
        )}
        {cost_shifts.map((shift, index) => (
          <CostShiftRow
            key={`${shift.from_function} ${shift.to_function} ${index}`}
            shift={shift}
            kind={kindOf(shift.profile_kind)}
          />
        ))}
      </ol>
      {terms.length > 0 && (
        <div className={classes.terms}>
          <Terms names={terms} />
        </div>
      )}
    </>
  );
}

function countText(count: number): string {
  if (count === 0) return 'No findings';
  return count === 1 ? '1 finding' : `${count} findings, most important first`;
}

function rangeOf({ change }: Finding) {
  const ofRatio = change.ci_of === 'ratio';
  return {
    ratio: change.ratio,
    low: ofRatio ? change.ci_low : null,
    high: ofRatio ? change.ci_high : null,
  };
}

/** The headline has what is known instead: a bound of the change, or which data would decide. */
const NOTHING_FOUND = 'No findings.';

type RowProps = {
  finding: Finding;
  number: number;
  /**
   * Shown after the sentence: the profile kind if there are several, and the number of comments.
   */
  notes: ReactNode;
  axis: RatioAxis;
  chosen: boolean;
  unfolded: boolean;
  onChoose: () => void;
  onUnfold: (unfolded: boolean) => void;
};

function ProfileKind({ kind }: { kind: string }) {
  return kind === '' ? null : <span className="muted"> · {kind}</span>;
}

function FindingRow({
  finding,
  number,
  notes,
  axis,
  chosen,
  unfolded,
  onChoose,
  onUnfold,
}: RowProps) {
  const change = changeOfFinding(finding);
  const { ratio, low, high } = rangeOf(finding);
  // The color follows the direction: for a rate, as of a benchmark in bytes per second, less is
  // worse.
  const worse = finding.direction === 'worse' ? 'more' : 'less';
  const tone = change === 'noise' ? 'muted' : worse;
  const caller = attributedCallerText(finding);
  return (
    <div className={classes.row} data-chosen={chosen || undefined}>
      <button
        type="button"
        className={classes.fold}
        aria-expanded={unfolded}
        aria-label={unfolded ? `Fold finding ${number}` : `Explain finding ${number}`}
        onClick={() => onUnfold(!unfolded)}
      >
        {number}
      </button>
      <KindIcon kind={iconOf(finding)} />
      <button
        type="button"
        className={classes.sentence}
        aria-current={chosen || undefined}
        title={finding.sentence}
        onClick={onChoose}
      >
        <FindingText parts={findingParts(finding)} />
        {notes}
        {!finding.is_significant && <span className="muted"> · tentative{moreText(finding)}</span>}
      </button>
      <span className={classes.whisker}>
        <EffectInterval
          axis={axis}
          ratio={ratio}
          low={low}
          high={high}
          change={change}
          width={INTERVAL_WIDTH}
        />
      </span>
      <span className={`${classes.effect} ${tone}`}>
        {ratio === null || ratio === 0
          ? formatDelta(finding.change.difference, unitOf(finding.unit))
          : formatRatio(ratio)}
        {low !== null && high !== null && <small>{formatRatioRange(low, high)}</small>}
      </span>
      <span className={classes.caller} title={caller.title}>
        {caller.name !== '' ? (
          <span className={caller.code ? 'mono cut' : 'cut'}>{caller.name}</span>
        ) : (
          <span className="muted">–</span>
        )}
        {caller.share !== '' && <span className="muted nowrap">{caller.share}</span>}
      </span>
      <span className={classes.q}>
        {!finding.is_significant ? (
          'tentative'
        ) : finding.q_value === null ? (
          'significant'
        ) : (
          <Term name="q-value" detail={`q ${formatProbability(finding.q_value)}`}>
            significant
          </Term>
        )}
      </span>
    </div>
  );
}

function moreText({ profiles_needed: more }: Finding): string {
  return more ? `; record ${countOf(more, 'more profile')} per side for a conclusive result` : '';
}

type AttributedCallerText = { name: string; share: string; title: string; code: boolean };

/** Returns the header of the column of causes: for waits, the goroutines that ran meanwhile. */
function attributedCallerHeader(findings: Finding[]): string {
  const waits = findings.filter(isWait).length;
  if (waits === 0) return 'attributed to';
  return waits === findings.length ? 'behind' : 'attributed to, or waiting for';
}

const isWait = ({ kind }: Finding): boolean => kind.startsWith('trace.');

/**
 * Returns the first occupant, without its share: the sentence has the share of the whole wait, and
 * this one would be of the change.
 */
function occupantText({ contributions, kind }: Finding): AttributedCallerText {
  const first = contributions[0];
  if (!first) return { name: '', share: '', title: '', code: false };
  const { text, code = false } = partName(first.subject, kind);
  return { name: text, share: '', title: first.subject, code };
}

function attributedCallerText(finding: Finding): AttributedCallerText {
  if (isWait(finding)) return occupantText(finding);
  const caller = finding.attributed_callers[0];
  // The subject of the row is already the function to which the cost is attributed.
  if (!caller || caller.function === finding.subject)
    return { name: '', share: '', title: '', code: true };
  const share =
    finding.change.difference === 0 ? NaN : caller.difference / finding.change.difference;
  const known = share > 0 && share <= 1.005;
  return {
    name: shortName(caller.function),
    share: known ? formatShare(share < 0.005 ? share : Math.round(share * 100) / 100) : '',
    title: caller.function,
    code: true,
  };
}

function CostShiftRow({ shift, kind }: { shift: CostShift; kind: string }) {
  const names = [shift.from_function, shift.to_function, shift.common_caller].flatMap((name) => [
    name,
    shortName(name),
  ]);
  return (
    <li className={classes.row}>
      <span className={classes.fold} />
      <KindIcon kind="move" />
      <span className={classes.sentence}>
        <FindingText parts={withNames(shift.sentence.replace(/\.$/u, ''), names)} />
      </span>
      <span className={`${classes.whisker} muted`}>{kind}</span>
      <span className={`${classes.effect} muted`}>cost shift, no net change</span>
      <span className={classes.caller} title={shift.common_caller}>
        <span className="mono cut">{shortName(shift.common_caller)}</span>
      </span>
      <span className={classes.q}>–</span>
    </li>
  );
}
