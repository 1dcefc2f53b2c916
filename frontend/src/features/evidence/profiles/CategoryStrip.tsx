/**
 * The runtime categories of a view with their shares and attributed callers. A selected category is
 * highlighted in the graph.
 */
import type { ProfileCategory, ProfileViewSummary } from '../../../api';
import { visibleName } from '../../../engine/flame/frame-label';
import { formatShare } from '../../../engine/format/format';
import { sampleTypeLabel } from '../../../engine/format/profile-labels';
import { shortName } from '../../../engine/format/short-function-name';
import { countOf } from '../../../ui';
import { shortCategory } from './profile-wording';
import classes from './profiles.module.css';

/** The number of columns; the column of all other categories is the eighth. */
const COLUMNS = 7;
const APPLICATION = 'app';
/** A caller with at least this share counts as all of a category. */
const ALL = 0.985;

type StripProps = {
  summary: ProfileViewSummary;
  /** The ID of a category; '' = none. */
  selected: string;
  onSelect: (category: string) => void;
};

export function CategoryStrip({ summary, selected, onSelect }: StripProps) {
  const { categories, kind, sample_type: type } = summary;
  if (categories.length === 0) return null;
  const shown = categories.length <= COLUMNS + 1 ? categories : categories.slice(0, COLUMNS);
  const others = categories.slice(shown.length);
  return (
    <section className={classes.strip} aria-label="Runtime categories">
      <h2 className={classes.head}>
        Runtime categories{' '}
        <span className="muted">
          share of {sampleTypeLabel(kind, type.type)}, with the largest attributed caller · select
          one to highlight its frames
        </span>
      </h2>
      <div className={classes.shares} aria-hidden="true">
        {categories.map(({ category, share }) => (
          <i
            key={category}
            data-selected={category === selected || undefined}
            style={{ flexGrow: Math.max(0, share) }}
          />
        ))}
      </div>
      <ul className={classes.categories}>
        {shown.map((category) => (
          <CategoryColumn
            key={category.category}
            category={category}
            selected={category.category === selected}
            onSelect={() => onSelect(category.category === selected ? '' : category.category)}
          />
        ))}
        {others.length > 0 && <OtherCategories categories={others} />}
      </ul>
    </section>
  );
}

type ColumnProps = { category: ProfileCategory; selected: boolean; onSelect: () => void };

function CategoryColumn({ category, selected, onSelect }: ColumnProps) {
  const { category: id, share } = category;
  return (
    <li>
      <button type="button" className={classes.category} aria-pressed={selected} onClick={onSelect}>
        <span className={classes.categoryName}>
          {shortCategory(id)} <b>{formatShare(share)}</b>
        </span>
        <CallerText category={category} />
      </button>
    </li>
  );
}

/** The largest attributed caller; its share is of the same total as the category's share. */
function CallerText({
  category: { category, attributed_callers, share },
}: {
  category: ProfileCategory;
}) {
  const [caller] = attributed_callers;
  if (!caller)
    return (
      <span className={classes.caller}>
        {category === APPLICATION ? 'service and libraries' : 'no attributed caller'}
      </span>
    );
  return (
    <span className={classes.caller} title={visibleName(caller.function)}>
      <span className={`mono ${classes.callerName}`}>
        {visibleName(shortName(caller.function))}
      </span>
      {caller.share < ALL && <span>{formatShare(share * caller.share)}</span>}
    </span>
  );
}

function OtherCategories({ categories }: { categories: ProfileCategory[] }) {
  const share = categories.reduce((sum, each) => sum + each.share, 0);
  return (
    <li>
      <div className={classes.category}>
        <span className={classes.categoryName}>
          {countOf(categories.length, 'other category', 'other categories')}{' '}
          <b>{formatShare(share)}</b>
        </span>
        <span className={classes.caller}>
          {categories.map(({ category }) => shortCategory(category)).join(', ')}
        </span>
      </div>
    </li>
  );
}
