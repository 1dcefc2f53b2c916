import type { KindPreview, SidePreview } from '../../../api';
import { fieldZone } from '../../../lib/wall-times';
import { countText, durationText } from '../../../ui';
import { kindPlural } from '../../evidence/artifacts';
import classes from './compare.module.css';
import { conditionsOf, kindsOfSides, recordedText } from './preview-wording';

type ContentsProps = { preview: SidePreview; other: SidePreview | null | undefined };

/** Shows the artifacts of a side by kind, and the conditions under which they were recorded. */
export function SideContents({ preview, other }: ContentsProps) {
  const rows = kindsOfSides(preview, other);
  return (
    <>
      {rows.length > 0 && (
        <table className={classes.contents}>
          <thead>
            <tr>
              <th scope="col">Contains</th>
              <th scope="col">Count</th>
              <th scope="col">Samples</th>
              <th scope="col">Recorded, {fieldZone('')}</th>
              <th scope="col">Duration</th>
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <Row key={row.kind} row={row} />
            ))}
          </tbody>
        </table>
      )}
      {preview.time_range && (
        <p className={classes.note}>
          <span className="muted">and latency metrics of this time</span>
        </p>
      )}
      {preview.empty_reason && <p className={classes.note}>{preview.empty_reason}</p>}
      {preview.left_out && <p className={`muted ${classes.note}`}>{preview.left_out}</p>}
      <ul className={classes.conditions} aria-label="Conditions">
        {conditionsOf(preview, other).map(({ name, value, differs }) => (
          <li key={name} className={differs ? classes.differs : undefined}>
            {name} <b>{value}</b>
            {differs && <span className="unseen"> differs</span>}
          </li>
        ))}
      </ul>
    </>
  );
}

function Row({ row }: { row: KindPreview }) {
  const dash = <span className="muted">–</span>;
  return (
    <tr>
      <th scope="row">{row.kind === null ? 'Being decoded' : kindPlural(row.kind)}</th>
      <td>{countText(row.count)}</td>
      <td className="t2">{row.samples === null ? dash : countText(row.samples)}</td>
      <td className={row.count === 0 ? 'muted' : 't2'}>
        {row.count === 0 ? 'none on this side' : recordedText(row)}
      </td>
      <td className="t2">{row.duration_ns === null ? dash : durationText(row.duration_ns)}</td>
    </tr>
  );
}
