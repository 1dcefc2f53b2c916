/** Exports the current view with all rows: as SVG, or as PNG with two pixels per CSS pixel. */
import type { Arranged } from '../../engine/flame/flame-model';
import { isOneSided } from '../../engine/flame/diff-part';
import type { SvgFrame, SvgRest } from '../../engine/flame/flame-svg';
import { flameSvg } from '../../engine/flame/flame-svg';
import { FRAME_PX, ROW_PX, frameHeight, topOf } from '../../engine/flame/flame-viewport';
import { formatCount, formatValue, unitOf } from '../../engine/format/format';
import type { FlameController } from './flame-controller';
import type { Cut, Picture } from './flame-props';
import { FlamePainter } from './flame-painter';
import type { PanePaint } from './flame-painter';
import type { Palette } from './flame-palette';
import { pngOfCanvas } from '../picture/raster';
import { cutText, hairlineColour } from './collapsed-row';
import { collapsedLabel, frameLines, isNamed, nameOfFrame, restLines } from './frame-description';

const PNG_RATIO = 2;
/** Some browsers limit the sides of a canvas to 16,384 pixels. */
const PNG_MAX_PX = 16_000;
const NOTE_PX = 28;

/** Returns the size of a picture: two pixels per CSS pixel if possible; cut if one does not fit. */
export function pictureSize(fullPx: number): {
  ratio: number;
  heightPx: number;
  rows: number;
  cut: Cut | null;
} {
  const ratio = Math.min(PNG_RATIO, Math.max(1, PNG_MAX_PX / fullPx));
  const whole = Math.round(fullPx / ROW_PX);
  if (fullPx <= PNG_MAX_PX) return { ratio, heightPx: fullPx, rows: whole, cut: null };
  const rows = Math.floor((PNG_MAX_PX - NOTE_PX) / ROW_PX);
  return { ratio, heightPx: rows * ROW_PX, rows, cut: { rows, whole } };
}

export function describeCut({ rows, whole }: Cut): string {
  return `Truncated: ${formatCount(rows)} of ${formatCount(whole)} rows fit into a PNG. The SVG has all of them.`;
}

export async function exportPng(controller: FlameController, palette: Palette): Promise<Picture> {
  const canvas = document.createElement('canvas');
  const context = canvas.getContext('2d');
  if (context === null) throw new Error('This browser does not provide a canvas');
  const cut = controller.withEverything((full) => {
    const size = pictureSize(full);
    const { ratio, heightPx: height } = size;
    const note = size.cut === null ? 0 : NOTE_PX;
    canvas.width = Math.round(controller.width * ratio);
    canvas.height = Math.round((height + note) * ratio);
    controller.paintOn(new FlamePainter(context), { ratio, scrollTop: 0, height });
    if (size.cut !== null) drawNote(context, palette, describeCut(size.cut), { ratio, height });
    return size.cut;
  });
  context.globalCompositeOperation = 'destination-over';
  context.fillStyle = palette.background;
  context.setTransform(1, 0, 0, 1, 0, 0);
  context.fillRect(0, 0, canvas.width, canvas.height);
  return { blob: await pngOfCanvas(canvas), cut };
}

/** Draws a note below the last row that there are more rows. */
function drawNote(
  context: CanvasRenderingContext2D,
  palette: Palette,
  words: string,
  { ratio, height }: { ratio: number; height: number },
): void {
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, height, context.canvas.width / ratio, NOTE_PX);
  context.fillStyle = palette.text;
  context.font = `600 12px system-ui, sans-serif`;
  context.textBaseline = 'middle';
  context.fillText(words, 8, height + NOTE_PX / 2);
}

function titleOf(arranged: Arranged, table: number, frame: number): string {
  const { described, base, candidate, change } = frameLines(arranged, table, frame);
  const collapsed = collapsedLabel(arranged, table, frame);
  if (collapsed !== null)
    return `${collapsed.words} · ${collapsed.names}: base ${base.total}, candidate ${candidate.total} ${change.per}, ${change.delta}`;
  if (isOneSided(arranged.header))
    return `${described.name}: self ${candidate.self}, total ${candidate.total} ${change.per}, ${candidate.share}`;
  return `${described.name}: ${change.words}, base ${base.total}, candidate ${candidate.total} ${change.per}, ${change.delta}`;
}

function framesOfPane(arranged: Arranged, paint: PanePaint, palette: Palette): SvgFrame[] {
  const { pane, frames, placement, scene, labels, hits, rootLabel } = paint;
  return Array.from({ length: scene.frames }, (_, at): SvgFrame => {
    const frame = scene.frameAt(at);
    const left = Math.max(0, scene.xAt(at));
    const width = Math.min(pane.width, scene.xAt(at) + scene.widthAt(at)) - left;
    const room = width - 1 - 20;
    const collapsed = paint.collapsedLabel(frame);
    const fill = placement.fill[frame]!;
    const label =
      width <= 22
        ? ''
        : collapsed !== null
          ? cutText(`${collapsed.words} · ${collapsed.names}`, room / 6.6)
          : frame === 0 && rootLabel !== ''
            ? rootLabel
            : labels.fit(frames.name[frame]!, room);
    return {
      x: pane.x + left,
      y: topOf(pane, scene.levelAt(at)),
      height: frameHeight(pane, scene.levelAt(at)),
      width: Math.max(1, width - (width >= 2 ? 1 : 0)),
      fill,
      hairlines: collapsed === null ? null : hairlineColour(palette, fill),
      label,
      title: titleOf(arranged, pane.table, frame),
      outlined: frame > 0 && isNamed(frames, frame, (name) => hits?.names[name] === 1),
    };
  });
}

function restsOfPane(arranged: Arranged, { pane, scene, restLabel }: PanePaint): SvgRest[] {
  return Array.from({ length: scene.rests }, (_, at): SvgRest => {
    const left = Math.max(0, scene.restXAt(at));
    const width = Math.min(pane.width, scene.restXAt(at) + scene.restWidthAt(at)) - left;
    const { title, base, candidate } = restLines(arranged, pane.side, pane.table, scene.restAt(at));
    return {
      x: pane.x + left,
      y: topOf(pane, scene.restLevelAt(at)),
      width,
      label: width >= 64 ? restLabel(at, width - 10) : '',
      title: isOneSided(arranged.header)
        ? `${title}: ${candidate}`
        : `${title}: base ${base}, candidate ${candidate}`,
    };
  });
}

export function exportSvg(controller: FlameController, palette: Palette): string {
  const { arranged } = controller;
  if (arranged === null) return '';
  return controller.withEverything((height) => {
    const paints = controller.panePaints();
    const { header, basis } = arranged;
    const unit = unitOf(basis.unit);
    const total = (raw: number, scale: number): string => formatValue(raw * scale, unit);
    const [base, candidate] = [
      total(arranged.tables[0]!.baseTotal[0]!, basis.base_scale),
      total(arranged.tables[0]!.candidateTotal[0]!, basis.candidate_scale),
    ];
    const name = nameOfFrame(arranged, 0, 0);
    const what = `${header.kind} ${header.sample_type.type}`;
    const words = isOneSided(header)
      ? { title: what, note: `${name}: ${candidate}` }
      : {
          title: `${what}: base ${header.base.label}, candidate ${header.candidate.label}`,
          note: `${name}: base ${header.base.label} ${base}, candidate ${header.candidate.label} ${candidate}`,
        };
    return flameSvg({
      width: controller.width,
      height: height - ROW_PX + FRAME_PX,
      ...words,
      frames: paints.flatMap((paint) => framesOfPane(arranged, paint, palette)),
      rests: paints.flatMap((paint) => restsOfPane(arranged, paint)),
      colours: palette,
    });
  });
}
