/** The conditions under which each side was recorded, and its missing or uncertain trace data. */
import { formatCount } from '../../../engine/format/format';
import { CaveatIcon, SideMark, countOf } from '../../../ui';
import classes from './traces.module.css';
import type { TraceDocument, TraceSide } from './trace-types';
import { conditions, unreadableRangeText, warningText } from './trace-wording';

export function RecordingConditions({ data }: { data: TraceDocument }) {
  const { base, candidate } = data.sides;
  return (
    <>
      <p className={classes.conditions}>
        <SideLine name="base" side={base} alone={candidate === null} />
        {candidate && <SideLine name="candidate" side={candidate} alone={false} />}
      </p>
      <UnreadableRange sides={candidate ? [base, candidate] : [base]} />
    </>
  );
}

function SideLine(props: { name: 'base' | 'candidate'; side: TraceSide; alone: boolean }) {
  const { name, side, alone } = props;
  return (
    <span>
      {!alone && <SideMark side={name} label />}
      {!alone && side.label !== name && <span className="mono t2">{side.label}</span>}
      {conditions(side).join(' · ')}
    </span>
  );
}

const SHOWN_MOST = 8;

/** Lists what could not be read of each trace; it is above all values computed without it. */
function UnreadableRange({ sides }: { sides: TraceSide[] }) {
  const traces = sides.flatMap((side) => side.traces);
  const lost = traces.map(unreadableRangeText).filter((text) => text !== null);
  const warnings = traces.flatMap(({ name, warnings: texts }) =>
    texts.map((warning) => `${name}: ${warningText(warning)}`),
  );
  if (lost.length + warnings.length === 0) return null;
  const statements = [...new Set([...lost, ...warnings])];
  return (
    <section className={classes.lost} aria-label="Unreadable trace data">
      <b>
        <CaveatIcon />
        {lost.length > 0
          ? `${countOf(lost.length, 'trace')} ${lost.length === 1 ? 'is' : 'are'} incomplete`
          : countOf(statements.length, 'warning')}
      </b>
      {statements.slice(0, SHOWN_MOST).map((text) => (
        <span key={text}>{text}</span>
      ))}
      {statements.length > SHOWN_MOST && (
        <span className="muted">and {formatCount(statements.length - SHOWN_MOST)} more</span>
      )}
    </section>
  );
}
